//! The clocks of the machine, in nanoseconds since zeros of their own.

/// A reading of each clock, from which a [`Clock`](super::Clock) counts.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin {
    awake: u64,
    always: u64,
}

#[cfg(target_os = "linux")]
mod linux {
    use super::Origin;
    use rustix::time::{ClockId, Timespec, clock_getres, clock_gettime};

    impl Origin {
        /// Now.
        pub(in crate::clock) fn now() -> Self {
            Self { awake: nanos(clock_gettime(ClockId::Monotonic)), always: nanos(clock_gettime(ClockId::Boottime)) }
        }

        /// Time since the origin, less what the machine was suspended.
        #[inline]
        pub(in crate::clock) fn awake(&self) -> u64 {
            nanos(clock_gettime(ClockId::Monotonic)).saturating_sub(self.awake)
        }

        /// The same as of the kernel's last tick: a fifth of the price.
        #[inline]
        pub(in crate::clock) fn ticked(&self) -> u64 {
            nanos(clock_gettime(ClockId::MonotonicCoarse)).saturating_sub(self.awake)
        }

        /// Time since the origin, suspended or not.
        pub(in crate::clock) fn always(&self) -> u64 {
            nanos(clock_gettime(ClockId::Boottime)).saturating_sub(self.always)
        }
    }

    /// How far behind [`Origin::ticked`] may be.
    pub(in crate::clock) fn tick() -> u64 {
        nanos(clock_getres(ClockId::MonotonicCoarse))
    }

    #[inline]
    fn nanos(time: Timespec) -> u64 {
        // Clocks that count from the start of the machine are not negative, and end in 584 years.
        time.tv_sec.cast_unsigned().wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec.cast_unsigned())
    }
}

/// Elsewhere there is one clock, that of the standard library, which stands still in a suspend on some systems.
#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use super::Origin;
    use std::sync::LazyLock;
    use std::time::Instant;

    fn now() -> u64 {
        static START: LazyLock<Instant> = LazyLock::new(Instant::now);
        START.elapsed().as_nanos() as u64
    }

    impl Origin {
        pub(in crate::clock) fn now() -> Self {
            Self { awake: now(), always: 0 }
        }

        pub(in crate::clock) fn awake(&self) -> u64 {
            now().saturating_sub(self.awake)
        }

        pub(in crate::clock) fn ticked(&self) -> u64 {
            self.awake()
        }

        pub(in crate::clock) fn always(&self) -> u64 {
            self.awake()
        }
    }

    pub(in crate::clock) fn tick() -> u64 {
        0
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::tick;
#[cfg(target_os = "linux")]
pub(super) use linux::tick;
