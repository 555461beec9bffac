//! `encodePlan` and `decodePlan`: everything that restores a view, as the text of a link and back.

use wasm_bindgen::prelude::*;

use super::fields::describe;
use super::{Thrown, read, reply, thrown};
use crate::plan::{self, Plan};
use crate::problem::{Kind, Problem};

/// A plan as the text of a link, from `p1.` on: deflated, with a checksum. Put it behind `#allocate/` in the page's address.
///
/// ```js
/// const link = encodePlan({ lab: "allocate", data: { example: "packages" }, knobs: { budget: 50, metric: "age" } });
/// ```
#[wasm_bindgen(js_name = encodePlan)]
pub fn encode_plan(#[wasm_bindgen(unchecked_param_type = "Plan")] plan: JsValue) -> Thrown<String> {
    plan::encode(&read::<Plan>(plan, "the plan")?).map_err(thrown)
}

/// The plan that a link carries: the text that `encodePlan` gave, or a whole address with it, however often a chat
/// percent-encoded it. Knobs that it does not name come with their usual values.
///
/// ```js
/// const { lab, data, knobs } = decodePlan(location.hash);
/// ```
#[wasm_bindgen(js_name = decodePlan, unchecked_return_type = "Plan")]
pub fn decode_plan(#[wasm_bindgen(unchecked_param_type = "string")] link: &JsValue) -> Thrown<JsValue> {
    let text = link.as_string().ok_or_else(|| {
        thrown(Problem::new(
            Kind::Field,
            format!("decodePlan takes the text of a link, not {}", describe(link)),
            "Pass a string such as \"p1.…\".",
        ))
    })?;
    reply(&plan::decode(&text).map_err(thrown)?)
}

/// The same plan with every knob that it does not name at its usual value; throws what is wrong with it. For plans that
/// were saved as JSON.
#[wasm_bindgen(js_name = checkPlan, unchecked_return_type = "Plan")]
pub fn check_plan(#[wasm_bindgen(unchecked_param_type = "Plan")] plan: JsValue) -> Thrown<JsValue> {
    reply(&read::<Plan>(plan, "the plan")?.check().map_err(thrown)?)
}
