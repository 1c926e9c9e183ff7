//! Addresses of clients, and networks.

use std::net::IpAddr;

/// Addresses that agree in their first bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    address: IpAddr,
    bits: u32,
}

impl Network {
    /// Of one address.
    pub(super) fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self { address, bits: width(address) }
    }

    /// Reads what stands before and behind the `/`: how many bits, or which of them, are compared.
    ///
    /// # Errors
    ///
    /// A message: what stands there is no network.
    pub(super) fn new(address: &str, compared: &str) -> Result<Self, String> {
        let written = format!("{address}/{compared}");
        let wrong = |why: &str| {
            format!("`{written}` {why}; write a network as `10.0.0.0/8`, `2001:db8::/32` or `10.0.0.0/255.0.0.0`")
        };
        let address: IpAddr = address.parse().map_err(|_| wrong("begins with no address"))?;
        let bits = match (address, compared.parse()) {
            (IpAddr::V4(_), Ok(IpAddr::V4(mask))) => {
                let mask = mask.to_bits();
                if mask.leading_ones() + mask.trailing_zeros() < 32 {
                    return Err(wrong("has a hole in its mask"));
                }
                mask.leading_ones()
            }
            (_, Ok(_)) => return Err(wrong("has a mask, which only IPv4 has")),
            _ if compared.bytes().all(|digit| digit.is_ascii_digit()) => {
                compared.parse().ok().filter(|bits| *bits <= width(address)).ok_or_else(|| wrong("has no such bits"))?
            }
            _ => return Err(wrong("ends in no number of bits")),
        };
        let network = Self { address, bits };
        if network.first() != address {
            return Err(wrong(&format!("names one address of a network: {}/{bits}", network.first())));
        }
        // What lies within the IPv4 addresses that IPv6 maps is a network of theirs.
        Ok(match (address.to_canonical(), bits.checked_sub(96)) {
            (mapped @ IpAddr::V4(_), Some(bits)) if address.is_ipv6() => Self { address: mapped, bits },
            _ => network,
        })
    }

    /// The first address of the network.
    fn first(&self) -> IpAddr {
        match self.address {
            IpAddr::V4(address) => IpAddr::V4((address.to_bits() & self.mask_v4()).into()),
            IpAddr::V6(address) => IpAddr::V6((address.to_bits() & self.mask_v6()).into()),
        }
    }

    pub(super) fn contains(&self, client: IpAddr) -> bool {
        match (self.address, client) {
            (IpAddr::V4(address), IpAddr::V4(client)) => (address.to_bits() ^ client.to_bits()) & self.mask_v4() == 0,
            (IpAddr::V6(address), IpAddr::V6(client)) => (address.to_bits() ^ client.to_bits()) & self.mask_v6() == 0,
            _ => false,
        }
    }

    fn mask_v4(&self) -> u32 {
        u32::MAX.checked_shl(32_u32.saturating_sub(self.bits)).unwrap_or(0)
    }

    fn mask_v6(&self) -> u128 {
        u128::MAX.checked_shl(128_u32.saturating_sub(self.bits)).unwrap_or(0)
    }
}

/// Bits of an address.
const fn width(address: IpAddr) -> u32 {
    if address.is_ipv4() { 32 } else { 128 }
}

/// The address a client is said by. An IPv4 address mapped into IPv6 is the IPv4 address, and a zone (`%eth0`) is left out.
pub(super) fn address_of(host: &[u8]) -> Option<IpAddr> {
    let text = std::str::from_utf8(host).ok()?;
    let text = match text.split_once('%') {
        Some((address, _)) if address.contains(':') => address,
        _ => text,
    };
    text.parse().ok().map(|address: IpAddr| address.to_canonical())
}
