//! The page: mounts the UI. Elsewhere than in a browser it is an empty program.

fn main() {
    #[cfg(target_arch = "wasm32")]
    {
        console_error_panic_hook::set_once();
        ui::app::mount();
    }
}
