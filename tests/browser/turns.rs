//! Tests of the page run side by side; one that measures time has the machine to itself.

use std::{
    cell::Cell,
    sync::{Condvar, Mutex, PoisonError},
};

struct Taken {
    /// Turns that others may have too.
    shared: usize,
    alone: bool,
}

static TAKEN: Mutex<Taken> = Mutex::new(Taken { shared: 0, alone: false });
static GIVEN_BACK: Condvar = Condvar::new();

thread_local! {
    /// This test has the machine to itself: its windows need no turn of their own.
    static ALONE: Cell<bool> = const { Cell::new(false) };
}

/// A turn on the machine, given back when dropped.
pub enum Turn {
    /// Beside others.
    Shared,
    /// Without others.
    Alone,
    /// Within the test's own turn.
    Within,
}

fn take(may: impl Fn(&Taken) -> bool, take: impl FnOnce(&mut Taken)) {
    // A test that fails leaves its turn as every other does: by dropping it.
    let taken = TAKEN.lock().unwrap_or_else(PoisonError::into_inner);
    let mut taken = GIVEN_BACK.wait_while(taken, |taken| !may(taken)).unwrap_or_else(PoisonError::into_inner);
    take(&mut taken);
}

impl Turn {
    /// For a window: waits while a test measures time.
    pub fn shared() -> Turn {
        if ALONE.get() {
            return Turn::Within;
        }
        take(|taken| !taken.alone, |taken| taken.shared += 1);
        Turn::Shared
    }

    /// For a test that measures time, before it opens a window: waits until no other test has one.
    pub fn alone() -> Turn {
        take(|taken| !taken.alone && taken.shared == 0, |taken| taken.alone = true);
        ALONE.set(true);
        Turn::Alone
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        take(
            |_| true,
            |taken| match self {
                Turn::Shared => taken.shared -= 1,
                Turn::Alone => taken.alone = false,
                Turn::Within => {}
            },
        );
        if matches!(self, Turn::Alone) {
            ALONE.set(false);
        }
        GIVEN_BACK.notify_all();
    }
}

#[test]
fn who_measures_is_alone_and_others_share() {
    use std::{sync::mpsc, thread, time::Duration};
    let (first, second) = (Turn::shared(), Turn::shared());
    let (tell, heard) = mpsc::channel();
    let measuring = thread::spawn(move || {
        let turn = Turn::alone();
        let _window = Turn::shared();
        tell.send("alone").unwrap();
        thread::sleep(Duration::from_millis(50));
        tell.send("done").unwrap();
        drop(turn);
    });
    assert!(heard.recv_timeout(Duration::from_millis(50)).is_err(), "two windows are open");
    drop(first);
    assert!(heard.recv_timeout(Duration::from_millis(50)).is_err(), "one window is open");
    drop(second);
    assert_eq!(heard.recv().unwrap(), "alone");
    let _third = Turn::shared();
    assert_eq!(heard.try_recv().unwrap(), "done", "a window waits for who measures");
    measuring.join().unwrap();
}
