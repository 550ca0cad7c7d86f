//! How far a run is, on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

use crate::{lab::runner::Progress, report::labels};

/// A bar on standard error; nothing where that is no terminal.
pub(super) struct Bar {
    bar: ProgressBar,
}

impl Bar {
    pub fn new() -> Bar {
        let bar = ProgressBar::new(0);
        let style = ProgressStyle::with_template("{bar:40} {pos}/{msg} {elapsed}, {eta} left");
        bar.set_style(style.expect("the template is a template"));
        Bar { bar }
    }

    pub fn tell(&self, Progress { step, done, total }: Progress) {
        let same = self.bar.length() == Some(total as u64) && self.bar.position() <= done as u64;
        if !same {
            self.bar.reset();
            self.bar.set_length(total as u64);
        }
        self.bar.set_message(labels::counted_step(step, total));
        self.bar.set_position(done as u64);
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
