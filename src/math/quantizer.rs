//! The seed's grid: Q_α(x) = α·round(clip(x, −α, α)·L/α)/L with L = 2^(B−1) − 1, rounding half to even.

use serde::{Deserialize, Serialize};

/// A bit-width from 2 to 8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub struct Bits(u8);

impl Bits {
    /// Every width there is.
    pub const ALL: [Bits; 7] = [Bits(2), Bits(3), Bits(4), Bits(5), Bits(6), Bits(7), Bits(8)];

    /// None outside 2…8.
    pub fn new(bits: u8) -> Option<Bits> {
        (2..=8).contains(&bits).then_some(Bits(bits))
    }

    /// The width.
    pub fn get(self) -> u8 {
        self.0
    }

    /// L = 2^(B−1) − 1: codes run from −L to L.
    pub fn levels(self) -> u32 {
        (1 << (self.0 - 1)) - 1
    }
}

impl TryFrom<u8> for Bits {
    type Error = String;
    fn try_from(bits: u8) -> Result<Bits, String> {
        Bits::new(bits).ok_or_else(|| format!("bit-width {bits} is not between 2 and 8"))
    }
}

impl From<Bits> for u8 {
    fn from(bits: Bits) -> u8 {
        bits.0
    }
}

/// How many weights share a clipping threshold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Granularity {
    /// The whole matrix.
    Tensor,
    /// One output channel.
    Channel,
    /// 32 consecutive input channels of one output channel.
    Group32,
    /// 64.
    Group64,
    /// 128.
    Group128,
}
