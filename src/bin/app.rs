//! The page: mounts the UI. Elsewhere than in a browser it is an empty program.

fn main() {}
