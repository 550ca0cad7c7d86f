//! The lab on the command line.

fn main() {
    eprintln!("fairbits {}", env!("CARGO_PKG_VERSION"));
}
