//! The JavaScript boundary and nothing else: one request in, one reply out, per question.
//!
//! Requests are plain objects, read by serde and checked for misspelt keys; per-item data cross as typed arrays. Whatever
//! is wrong is thrown as an `Error` with the fields of [`Problem`].

mod allocate;
mod estimate;
mod fields;
mod items;
mod lab;
mod log;
mod plan;
mod probe;
mod probe_lab;
mod reading;
mod replay;
mod simulate;
mod timetable;
mod writing;

use std::sync::{Mutex, Once};

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use crate::problem::{Kind, Problem};

/// What a JavaScript caller gets: a value, or an `Error` that is thrown.
type Thrown<T> = std::result::Result<T, JsValue>;

static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// Runs when the module is instantiated: keeps the text of a panic, which JavaScript would otherwise see only as
/// `RuntimeError: unreachable`.
#[wasm_bindgen(start, skip_typescript)]
fn start() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        std::panic::set_hook(Box::new(|info| {
            if let Ok(mut kept) = PANIC.lock() {
                *kept = Some(info.to_string());
            }
            console_error_panic_hook::hook(info);
        }));
    });
}

/// The text of the panic that stopped this instance of the module, if one did. A panic is a bug in Afresh; after one the
/// instance must be replaced.
#[wasm_bindgen(js_name = lastPanic)]
#[must_use]
pub fn last_panic() -> Option<String> {
    PANIC.lock().ok()?.clone()
}

/// A fire drill: panics on purpose with this text, so that a page can prove that it recovers.
///
/// # Panics
///
/// Always.
#[wasm_bindgen(js_name = rehearsePanic)]
pub fn rehearse_panic(text: &str) {
    panic!("{text}");
}

/// A seed drawn from the machine's entropy, below 2^32 so that it is short in a link.
#[wasm_bindgen(js_name = freshSeed)]
pub fn fresh_seed() -> Thrown<u32> {
    getrandom::u32().map_err(|cause| {
        thrown(Problem::new(
            Kind::Internal,
            format!("no random seed could be drawn: {cause}"),
            "Choose a seed yourself: any whole number will do.",
        ))
    })
}

/// A [`Problem`] as a real JavaScript `Error` with `kind`, `message`, `hint` and, where there is one, `row` and `column`.
#[allow(clippy::needless_pass_by_value, reason = "it is the last use of the problem, and reads well in `map_err`")]
fn thrown(problem: Problem) -> JsValue {
    let error = js_sys::Error::new(&problem.message);
    error.set_name("Problem");
    js_sys::Object::assign(&error, writing::write(&problem).unchecked_ref());
    error.into()
}

/// Reads a request.
fn read<T: DeserializeOwned>(request: JsValue, what: &str) -> Thrown<T> {
    reading::read(request, what).map_err(thrown)
}

/// A reply as a plain JavaScript object.
#[allow(clippy::unnecessary_wraps, reason = "calls end on their reply, and they may throw")]
fn reply<T: Serialize>(value: &T) -> Thrown<JsValue> {
    Ok(writing::write(value))
}
