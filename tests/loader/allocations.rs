//! Watches the largest single allocation of a thread, to catch sizes that were believed, and how much it holds at most.
#![allow(unsafe_code)] // a global allocator cannot be written without; it only counts and passes on

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

thread_local! {
    static LARGEST: Cell<usize> = const { Cell::new(0) };
    static HELD: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

struct Watching;

fn note(size: usize) {
    let _ = LARGEST.try_with(|largest| largest.set(largest.get().max(size)));
    hold(size as isize);
}

fn hold(more: isize) {
    let held = HELD.try_with(|held| held.replace(held.get() + more) + more).unwrap_or_default();
    let _ = MOST.try_with(|most| most.set(most.get().max(held)));
}

// SAFETY: every call goes to the system's allocator unchanged; `note` neither allocates nor unwinds.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        note(layout.size());
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Both may be there at once, while one is copied to the other.
        note(size);
        hold(-(layout.size() as isize));
        unsafe { System.realloc(pointer, layout, size) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        hold(-(layout.size() as isize));
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watching = Watching;

/// What `work` gives, and the largest allocation that it asked for.
pub fn watched<T>(work: impl FnOnce() -> T) -> (T, usize) {
    LARGEST.set(0);
    let outcome = work();
    (outcome, LARGEST.get())
}

/// What `work` gives, and how many bytes it held at most.
pub fn held<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = HELD.get();
    MOST.set(before);
    let outcome = work();
    (outcome, (MOST.get() - before) as usize)
}
