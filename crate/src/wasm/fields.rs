//! Fields of requests and replies: columns of numbers given as typed arrays or plain ones.

use hashbrown::HashMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use wasm_bindgen::prelude::*;

use super::writing::{pass, passed};
use crate::problem::{Kind, Problem, Result};

/// What a value is, for a sentence.
pub(super) fn describe(value: &JsValue) -> String {
    if value.is_undefined() {
        "nothing".into()
    } else if value.is_null() {
        "null".into()
    } else if js_sys::Array::is_array(value) {
        "an array".into()
    } else {
        let kind = value.js_typeof().as_string().unwrap_or_default();
        format!("{} {kind}", if kind.starts_with(['o', 'u']) { "an" } else { "a" })
    }
}

/// The longest column: four of them still fit into a tab's memory.
const LONGEST: u32 = 1 << 26;

/// A column of numbers as the caller gave it: a typed array or a plain array, copied only when it is read.
#[derive(Debug)]
pub(super) struct Column(JsValue);

impl<'de> Deserialize<'de> for Column {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        passed(deserializer).map(Self)
    }
}

impl From<JsValue> for Column {
    fn from(value: JsValue) -> Self {
        Self(value)
    }
}

impl Column {
    /// The numbers, as 64-bit floats.
    pub(super) fn numbers(&self, name: &str) -> Result<Vec<f64>> {
        self.is_list(name)?;
        if let Some(row) = self.first(|entry| entry.as_f64().is_none()) {
            return Err(Problem::new(
                Kind::Value,
                format!("`{name}` of item {row} (counting from 0) is not a number"),
                "Every entry must be a number.",
            )
            .at_row(row)
            .in_column(name));
        }
        Ok(js_sys::Float64Array::new(&self.0).to_vec())
    }

    /// The numbers, as 64-bit floats, with NaN where there is none: JSON writes what is not known as null.
    pub(super) fn numbers_or_unknown(&self, name: &str) -> Result<Vec<f64>> {
        match self.0.dyn_ref::<js_sys::Array>() {
            Some(array) if self.first(JsValue::is_null).is_some() => {
                let unknown = JsValue::from_f64(f64::NAN);
                let fill = |entry: JsValue| if entry.is_null() { unknown.clone() } else { entry };
                Self(array.iter().map(fill).collect::<js_sys::Array>().into()).numbers(name)
            }
            _ => self.numbers(name),
        }
    }

    /// The numbers, as indices.
    pub(super) fn indices(&self, name: &str) -> Result<Vec<u32>> {
        if self.0.is_instance_of::<js_sys::Uint32Array>() {
            return Ok(js_sys::Uint32Array::new(&self.0).to_vec());
        }
        self.numbers(name)?
            .into_iter()
            .enumerate()
            .map(|(row, value)| {
                #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked just below")]
                let index = value as u32;
                // Adding 0 makes −0 the same as 0.
                if f64::from(index).to_bits() == (value + 0.0).to_bits() {
                    Ok(index)
                } else {
                    Err(Problem::new(
                        Kind::Value,
                        format!("`{name}` of item {row} (counting from 0) is {value}, not a whole number from 0"),
                        "Number the groups 0, 1, 2, ….",
                    )
                    .at_row(row)
                    .in_column(name))
                }
            })
            .collect()
    }

    fn is_list(&self, name: &str) -> Result<()> {
        let view = self.0.is_object() && js_sys::ArrayBuffer::is_view(&self.0);
        let numberless = self.0.is_instance_of::<js_sys::DataView>()
            || self.0.is_instance_of::<js_sys::BigInt64Array>()
            || self.0.is_instance_of::<js_sys::BigUint64Array>();
        if js_sys::Array::is_array(&self.0) || (view && !numberless) {
            let length = js_sys::Reflect::get(&self.0, &"length".into()).ok().and_then(|length| length.as_f64());
            if length.is_some_and(|length| length > f64::from(LONGEST)) {
                return Err(Problem::new(
                    Kind::Size,
                    format!("`{name}` has more than {LONGEST} entries"),
                    "Group alike items and give each group its `count`.",
                )
                .in_column(name));
            }
            return Ok(());
        }
        Err(Problem::new(
            Kind::Field,
            format!("`{name}` is {}, not a list of numbers", describe(&self.0)),
            "Pass a Float64Array or an array of numbers.",
        )
        .in_column(name))
    }

    /// The first entry of a plain array with this property; typed arrays hold nothing but numbers.
    fn first(&self, has: impl Fn(&JsValue) -> bool) -> Option<usize> {
        let array = self.0.dyn_ref::<js_sys::Array>()?;
        (0..array.length()).position(|i| has(&array.get(i)))
    }
}

#[wasm_bindgen(typescript_custom_section)]
const COLUMN: &str = r"/** A column of numbers, one for each item: any list of numbers. */
export type Column =
  | readonly number[] | Float64Array | Float32Array | Uint32Array | Int32Array | Uint16Array | Int16Array | Uint8Array | Int8Array;";

/// A column that says which item each entry is of: names, or numbers from 0.
#[derive(Debug)]
pub(super) struct ItemNames(JsValue);

impl<'de> Deserialize<'de> for ItemNames {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        passed(deserializer).map(Self)
    }
}

impl Serialize for ItemNames {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        pass(&self.0, serializer)
    }
}

impl ItemNames {
    /// Whether the items are numbered and not named.
    pub(super) fn are_numbers(&self) -> bool {
        self.0.dyn_ref::<js_sys::Array>().is_none_or(|array| !array.get(0).is_string())
    }

    /// The number of each entry's item, and how many items there are. Names are numbered as they first come.
    pub(super) fn indices(&self) -> Result<(Vec<u32>, usize)> {
        if self.are_numbers() {
            let item = Column(self.0.clone()).indices("item")?;
            let items = item.iter().max().map_or(0, |most| *most as usize + 1);
            return Ok((item, items));
        }
        let mut seen: HashMap<String, u32> = HashMap::new();
        let mut item = Vec::new();
        for (row, name) in self.0.unchecked_ref::<js_sys::Array>().iter().enumerate() {
            let name = name.as_string().ok_or_else(|| {
                let message = format!("`item` of entry {row} (counting from 0) is not a name");
                Problem::new(Kind::Value, message, "Give names throughout, or numbers.").at_row(row).in_column("item")
            })?;
            let next = u32::try_from(seen.len()).unwrap_or(u32::MAX);
            item.push(*seen.entry(name).or_insert(next));
        }
        Ok((item, seen.len()))
    }

    /// The number of the item that is called so, or numbered so, if there is one; `numbers` are those of all entries.
    pub(super) fn index_of(&self, item: &JsValue, numbers: &[u32], items: usize) -> Option<u32> {
        match item.as_f64() {
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "compared just after")]
            Some(number) => Some(number as u32)
                .filter(|&index| f64::from(index).to_bits() == (number + 0.0).to_bits() && (index as usize) < items),
            None => self.0.dyn_ref::<js_sys::Array>()?.iter().position(|name| name == *item).map(|row| numbers[row]),
        }
    }

    /// Each item once, in the order of their numbers.
    pub(super) fn distinct(&self, items: usize) -> Self {
        if self.are_numbers() {
            let numbers: Vec<u32> = (0..items).map(|item| u32::try_from(item).unwrap_or(u32::MAX)).collect();
            return Self(js_sys::Uint32Array::from(&numbers[..]).into());
        }
        // A set keeps the order in which its members first came.
        Self(js_sys::Array::from(&js_sys::Set::new(&self.0)).into())
    }
}

/// Declares a column of a reply, which crosses as the typed array of the same name; the name is what the type declaration
/// shows.
macro_rules! typed_array {
    ($name:ident, $number:ty) => {
        #[derive(Debug)]
        pub(super) struct $name(js_sys::$name);

        impl<T: AsRef<[$number]> + ?Sized> From<&T> for $name {
            fn from(values: &T) -> Self {
                Self(js_sys::$name::from(values.as_ref()))
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
                pass(&self.0, serializer)
            }
        }
    };
}

typed_array!(Float64Array, f64);
typed_array!(Uint32Array, u32);

#[wasm_bindgen(typescript_custom_section)]
const ITEM_NAMES: &str = "/** Which item each entry is of: names, or numbers from 0. */\nexport type ItemNames = readonly string[] | readonly number[] | Uint32Array;";

#[wasm_bindgen(typescript_custom_section)]
const SERIES: &str = "/** A column of numbers of a chart or table. */\nexport type Series = Float64Array;\n/** A column of row numbers. */\nexport type Rows = Uint32Array;";

impl Serialize for crate::view::Series {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        Float64Array::from(&self.0).serialize(serializer)
    }
}

impl Serialize for crate::view::Rows {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        Uint32Array::from(&self.0).serialize(serializer)
    }
}
