//! How long something will still take, and when to say so aloud.

/// Before this many seconds a rate is a guess.
const SOONEST_ESTIMATE: f64 = 0.5;
/// A screen reader is told at each of these steps, not at every change.
const ANNOUNCED_STEPS: usize = 4;

/// Seconds left at the pace so far; none while too little is done to say.
pub fn seconds_left(done: f64, total: f64, seconds: f64) -> Option<f64> {
    (done > 0.0 && total >= done && seconds >= SOONEST_ESTIMATE).then(|| seconds * (total - done) / done)
}

/// Share done, from 0 to 1.
pub fn share(done: f64, total: f64) -> f64 {
    if total > 0.0 { (done / total).clamp(0.0, 1.0) } else { 0.0 }
}

/// The last quarter passed, as per cent: changes four times in a run.
pub fn announced_percent(done: f64, total: f64) -> usize {
    (share(done, total) * ANNOUNCED_STEPS as f64) as usize * 100 / ANNOUNCED_STEPS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_left_follows_the_pace() {
        assert_eq!(seconds_left(25.0, 100.0, 5.0), Some(15.0));
        assert_eq!(seconds_left(100.0, 100.0, 5.0), Some(0.0));
        assert_eq!(seconds_left(0.0, 100.0, 5.0), None);
        assert_eq!(seconds_left(25.0, 100.0, 0.1), None);
        assert_eq!(seconds_left(120.0, 100.0, 5.0), None, "a server that lied about the length");
    }

    #[test]
    fn quarters_are_announced() {
        let said: Vec<usize> = [0.0, 24.0, 25.0, 74.0, 75.0, 100.0].map(|done| announced_percent(done, 100.0)).to_vec();
        assert_eq!(said, [0, 0, 25, 50, 75, 100]);
        assert_eq!(announced_percent(0.0, 0.0), 0);
    }
}
