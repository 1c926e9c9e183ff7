//! Decisions that nobody has any more, to be written anew: an object of Python takes as long to make and to free as a decision takes.

#![expect(unsafe_code, reason = "what is written through a shared reference")]

use crate::answer::Answer;
use crate::decision::Decision;
use pyo3::prelude::*;
#[cfg(Py_GIL_DISABLED)]
use std::cell::Cell;
use std::cell::UnsafeCell;
use std::ops::Deref;

/// An answer that is read by all who have its decision, and written where none has it.
#[derive(Debug)]
pub(crate) struct Written(UnsafeCell<Answer>);

// Safety: it is written by `Spare::hand_out` alone, which sees to it that nobody reads.
unsafe impl Sync for Written {}

impl From<Answer> for Written {
    fn from(answer: Answer) -> Self {
        Self(UnsafeCell::new(answer))
    }
}

impl Deref for Written {
    type Target = Answer;

    #[inline]
    fn deref(&self) -> &Answer {
        // Safety: see above.
        unsafe { &*self.0.get() }
    }
}

#[cfg(Py_GIL_DISABLED)]
thread_local! {
    /// The decision that a thread was handed last, by whichever engine: one that threads had in common would be in the way of all.
    static LAST: Cell<Option<Py<Decision>>> = const { Cell::new(None) };
}

/// The decision that an engine has handed out last.
#[derive(Debug, Default)]
pub(crate) struct Spare(#[cfg(not(Py_GIL_DISABLED))] UnsafeCell<Option<Py<Decision>>>);

// Safety: it is touched by `hand_out` alone, whose caller has the GIL and keeps it meanwhile.
#[cfg(not(Py_GIL_DISABLED))]
unsafe impl Sync for Spare {}

impl Spare {
    /// Hands out a decision: the last one again, if nobody has it any more.
    #[cfg(not(Py_GIL_DISABLED))]
    #[inline]
    pub(crate) fn hand_out<'py>(&self, py: Python<'py>, answer: Answer) -> PyResult<Bound<'py, Decision>> {
        // Safety: nothing writes to it while it is looked at, as the GIL is held, and what an answer drops is none of Python's.
        if let Some(last) = unsafe { &*self.0.get() }
            // Safety: the object is alive, as it is referred to from here.
            && unsafe { pyo3::ffi::Py_REFCNT(last.as_ptr()) } == 1
        {
            // Safety: nobody else refers to it, so nobody reads it.
            unsafe { *last.get().0.0.get() = answer };
            return Ok(last.bind(py).clone());
        }
        let made = Bound::new(py, Decision(answer.into()))?;
        // Safety: as above; what was there before is dropped when this is over.
        let _before = unsafe { (*self.0.get()).replace(made.clone().unbind()) };
        Ok(made)
    }

    /// Hands out a decision: the last one of this thread again, if nobody has it any more.
    #[cfg(Py_GIL_DISABLED)]
    #[inline]
    #[expect(clippy::unused_self, reason = "with a GIL it is")]
    pub(crate) fn hand_out<'py>(&self, py: Python<'py>, answer: Answer) -> PyResult<Bound<'py, Decision>> {
        let last = LAST.try_with(Cell::take).ok().flatten();
        if let Some(last) = last
            // Safety: the object is alive, as it is referred to from here.
            && unsafe { pyo3::ffi::PyUnstable_Object_IsUniquelyReferenced(last.as_ptr()) } == 1
        {
            // Safety: nobody else refers to it, in no thread, so nobody reads it.
            unsafe { *last.get().0.0.get() = answer };
            let again = last.bind(py).clone();
            let _ = LAST.try_with(|kept| kept.set(Some(last)));
            return Ok(again);
        }
        let made = Bound::new(py, Decision(answer.into()))?;
        let _ = LAST.try_with(|kept| kept.set(Some(made.clone().unbind())));
        Ok(made)
    }
}
