//! Figures at which the theory draws its lines.

/// Document 004, sections 3.2 and 5.4: a model with every κ below this shows no disparity pattern …
pub const LIGHT: f64 = 5.0;
/// … and one with a κ above this does.
pub const HEAVY: f64 = 50.0;
/// The disparity that the theory sets out to explain (002, section 5.1); what lies below it is their "≈ 0".
pub const NEAR_ZERO: f64 = 0.020;
/// A layer whose κ lies above this is an outlier layer, where nobody says otherwise.
pub const OUTLIER: f64 = 5.0;
