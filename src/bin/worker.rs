//! The worker: runs the engine. Elsewhere than in a browser it is an empty program.

fn main() {
    #[cfg(target_arch = "wasm32")]
    worker::start();
}
