//! A person who tries everything, in no order: whatever they do, nothing breaks and the page goes on answering.

use std::{thread, time::Duration};

use fairbits::math::rng::Rng;
use serde_json::json;
use xtask::server::Site;

use crate::languages::{choose, run};
use crate::page::{LOADED, Page, STARTED, dist};

const STEPS: usize = 200;
/// A fault is found again with the seed that found it.
const SEED: u64 = 22;
/// Between two steps: less than most of them take.
const PAUSE: Duration = Duration::from_millis(60);

/// A step by its name: what it does, with a random number.
const ACTIONS: [(&str, &str); 11] = [
    ("run", "document.querySelector('#run:not(:disabled)')?.click()"),
    ("run again", "document.querySelector('#run:not(:disabled)')?.click()"),
    ("cancel", "document.querySelector('#cancel:not(:disabled)')?.click()"),
    (
        "another page",
        "const all = [...document.querySelectorAll('header nav a')]; all[arguments[0] % all.length]?.click()",
    ),
    (
        "a link",
        "const all = [...document.querySelectorAll('main a[href^=\"#/\"]')]; all[arguments[0] % all.length]?.click()",
    ),
    ("back", "history.back()"),
    ("forward", "history.forward()"),
    (
        "a box",
        "const all = [...document.querySelectorAll('main input:is([type=checkbox], [type=radio]):not(:disabled)')]; \
         all[arguments[0] % all.length]?.click()",
    ),
    (
        "a list",
        "const all = [...document.querySelectorAll('main select:not(:disabled)')], list = all[arguments[0] % all.length]; \
         const own = [...list?.options ?? []].filter((option) => !option.disabled); \
         if (own.length) { list.value = own[arguments[0] % own.length].value; \
             list.dispatchEvent(new Event('change', { bubbles: true })); }",
    ),
    (
        "a field",
        "const all = [...document.querySelectorAll('main input:is([type=number], [inputmode])')]; \
         const field = all[arguments[0] % all.length]; \
         if (field) { field.value = ['', '0', '1', '2', '3', '-1', '1e9', 'x'][arguments[0] % 8]; \
             field.dispatchEvent(new Event('input', { bubbles: true })); }",
    ),
    (
        "a button",
        "const all = [...document.querySelectorAll('main button:not(:disabled), main summary')] \
             .filter((button) => !/file|folder|notify|save|csv|svg|png|json|print|html/.test(`${button.id} ${button.className}`)); \
         all[arguments[0] % all.length]?.click()",
    ),
];

#[test]
#[ignore = "needs Chromium: cargo xtask test"]
fn two_hundred_random_steps_break_nothing() {
    let page = Page::open(Site::new(dist()), "/#/?workers=2&backend=cpu");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    choose(&page, &["eng", "kor"], 2);
    let (mut dice, mut done) = (Rng::new(SEED), Vec::new());
    for _ in 0..STEPS {
        match dice.below(24) {
            0 => {
                done.push("reload");
                page.reload();
            }
            1 => {
                done.push("theme");
                page.emulate([1280, 390][dice.below(2) as usize], ["light", "dark"][dice.below(2) as usize]);
            }
            of => {
                let (name, script) = ACTIONS[of as usize % ACTIONS.len()];
                done.push(name);
                page.evaluate(script, vec![json!(dice.below(1 << 20))]);
            }
        }
        thread::sleep(PAUSE);
        if let Some(line) = page.broken() {
            page.fail(&format!("{line}\nafter {}", done.join(", ")));
        }
    }
    page.emulate(1280, "light");
    page.go("/models/catalog.json");
    page.go("/#/?workers=2&backend=cpu");
    page.wait_for("#model[data-state=loaded]", STARTED + LOADED);
    choose(&page, &["eng", "kor"], 2);
    run(&page);
    assert_eq!(page.text("#error").unwrap_or_default(), "");
}
