//! Reads requests: plain JavaScript objects, by serde. A key that a struct does not have is refused at every level, an
//! absent field may also be `undefined` or `null`, and what is wrong is said with its place.
//!
//! Every type that is read has its own copy of the generic methods here, so all that does not depend on the type is kept
//! out of them.

use std::fmt::Display;

use js_sys::{Array, Number, Object, Reflect};
use serde::de::value::U32Deserializer;
use serde::de::{
    self, DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, Expected, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use wasm_bindgen::prelude::*;

use super::fields::describe;
use super::writing::hold;
use crate::problem::{Kind, Problem};

/// Reads a request; `what` is what messages call it.
pub(super) fn read<T: DeserializeOwned>(request: JsValue, what: &str) -> Result<T, Problem> {
    if !request.is_object() || Array::is_array(&request) {
        return Err(Problem::new(
            Kind::Field,
            format!("{what} takes one object, not {}", describe(&request)),
            "Pass the fields by name, as the type declaration shows.",
        ));
    }
    read_value(request, what)
}

/// Reads a value of any type.
pub(super) fn read_value<T: DeserializeOwned>(value: JsValue, what: &str) -> Result<T, Problem> {
    T::deserialize(Value(value)).map_err(|fault| fault.problem(what))
}

/// What is wrong, while the way back to the request is gathered.
#[derive(Debug)]
struct Fault(Box<Cause>);

#[derive(Debug)]
struct Cause {
    wrong: Wrong,
    /// The keys that lead to it, the last one first.
    path: Vec<String>,
}

#[derive(Debug)]
enum Wrong {
    /// A field has a value that it cannot have.
    Value(String),
    /// A field is not there.
    Missing(&'static str),
    /// A field is there that the struct does not have; with a hint.
    Unknown(String, String),
}

impl Fault {
    #[cold]
    fn new(wrong: Wrong) -> Self {
        Self(Box::new(Cause { wrong, path: Vec::new() }))
    }

    /// The same fault, seen from the object or list that has the value under this key.
    #[cold]
    #[inline(never)]
    fn under(mut self, key: String) -> Self {
        self.0.path.push(key);
        self
    }

    #[cold]
    #[inline(never)]
    fn problem(self, what: &str) -> Problem {
        let mut path = String::new();
        for key in self.0.path.iter().rev() {
            if !path.is_empty() && !key.starts_with('[') {
                path.push('.');
            }
            path.push_str(key);
        }
        let place = if path.is_empty() { what.into() } else { format!("{what}: `{path}`") };
        let hint = "Compare the request with the type declaration of this call.";
        match self.0.wrong {
            Wrong::Missing(name) => Problem::new(Kind::Field, format!("{place} needs `{name}`"), hint).in_column(name),
            Wrong::Unknown(key, hint) => {
                Problem::new(Kind::Field, format!("{place} has no field `{key}`"), hint).in_column(key)
            }
            Wrong::Value(message) => {
                let problem = Problem::new(Kind::Field, format!("{place}: {message}"), hint);
                if path.is_empty() { problem } else { problem.in_column(path) }
            }
        }
    }
}

impl Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}", self.0.wrong)
    }
}

impl std::error::Error for Fault {}

impl de::Error for Fault {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(Wrong::Value(message.to_string()))
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(Wrong::Missing(field))
    }
}

/// A JavaScript value that serde reads.
struct Value(JsValue);

impl Value {
    fn is_absent(&self) -> bool {
        self.0.is_undefined() || self.0.is_null()
    }

    /// The fault of a value of another type than the expected one.
    #[cold]
    #[inline(never)]
    fn not(&self, expected: &dyn Expected) -> Fault {
        let text;
        let found = if self.is_absent() {
            Unexpected::Unit
        } else if let Some(value) = self.0.as_bool() {
            Unexpected::Bool(value)
        } else if let Some(value) = self.0.as_f64() {
            Unexpected::Float(value)
        } else if let Some(value) = self.0.as_string() {
            text = value;
            Unexpected::Str(&text)
        } else {
            text = describe(&self.0);
            Unexpected::Other(&text)
        };
        Fault::invalid_type(found, expected)
    }

    fn whole(&self, expected: &dyn Expected) -> Result<i64, Fault> {
        #[allow(clippy::cast_possible_truncation, reason = "safe integers are below 2^53")]
        let whole = self.0.as_f64().filter(|_| Number::is_safe_integer(&self.0)).map(|value| value as i64);
        whole.ok_or_else(|| self.not(expected))
    }

    fn natural(&self, expected: &dyn Expected) -> Result<u64, Fault> {
        u64::try_from(self.whole(expected)?).map_err(|_| self.not(expected))
    }

    /// The entries of an array, a typed array or anything else that can be iterated.
    fn list(&self, expected: &dyn Expected) -> Result<Array, Fault> {
        if let Some(array) = self.0.dyn_ref::<Array>() {
            return Ok(array.clone());
        }
        let entries = if self.0.is_object() { js_sys::try_iter(&self.0).ok().flatten() } else { None };
        let list: Result<Array, JsValue> = entries.ok_or_else(|| self.not(expected))?.collect();
        list.map_err(|_| self.not(expected))
    }

    /// The keys and values of an object or a `Map`, in pairs.
    fn pairs(&self, expected: &dyn Expected) -> Result<Array, Fault> {
        if self.0.is_instance_of::<js_sys::Map>() {
            self.list(expected)
        } else if self.0.is_object() && !Array::is_array(&self.0) {
            Ok(Object::entries(self.0.unchecked_ref::<Object>()))
        } else {
            Err(self.not(expected))
        }
    }

    /// Refuses what is not an object, or has other fields than these.
    fn has_only(&self, fields: &'static [&'static str], expected: &dyn Expected) -> Result<(), Fault> {
        if !self.0.is_object() || Array::is_array(&self.0) {
            return Err(self.not(expected));
        }
        for key in Object::keys(self.0.unchecked_ref::<Object>()).iter().filter_map(|key| key.as_string()) {
            if !fields.contains(&key.as_str()) {
                let hint = match nearest(&key, fields) {
                    Some(near) => format!("Did you mean `{near}`?"),
                    None => format!("It may have: {}.", fields.join(", ")),
                };
                return Err(Fault::new(Wrong::Unknown(key, hint)));
            }
        }
        Ok(())
    }

    /// The place of an enum's variant among all of them, and what it carries: `"name"`, or `{ name: … }`.
    fn variant(&self, variants: &'static [&'static str], expected: &dyn Expected) -> Result<(u32, Value), Fault> {
        let (name, content) = if let Some(name) = self.0.as_string() {
            (name, JsValue::UNDEFINED)
        } else {
            let pairs = self.pairs(expected)?;
            if pairs.length() != 1 {
                return Err(Fault::invalid_length(pairs.length() as usize, &"1"));
            }
            let (key, value) = pair(&pairs.get(0));
            (key, value.0)
        };
        match (0..).zip(variants).find(|(_, variant)| **variant == name) {
            Some((place, _)) => Ok((place, Value(content))),
            None => Err(Fault::unknown_variant(&name, variants)),
        }
    }
}

/// The key and the value of an entry.
fn pair(entry: &JsValue) -> (String, Value) {
    let entry = entry.unchecked_ref::<Array>();
    (entry.get(0).as_string().unwrap_or_default(), Value(entry.get(1)))
}

impl<'de> Deserializer<'de> for Value {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.is_absent() {
            visitor.visit_unit()
        } else if let Some(value) = self.0.as_bool() {
            visitor.visit_bool(value)
        } else if let Some(value) = self.0.as_f64() {
            visitor.visit_f64(value + 0.0) // makes −0 and 0 one
        } else if let Some(value) = self.0.as_string() {
            visitor.visit_string(value)
        } else if Array::is_array(&self.0) {
            self.deserialize_seq(visitor)
        } else {
            self.deserialize_map(visitor)
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0.as_bool() {
            Some(value) => visitor.visit_bool(value),
            None => Err(self.not(&visitor)),
        }
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let value = self.whole(&visitor)?;
        visitor.visit_i64(value)
    }

    fn deserialize_u64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let value = self.natural(&visitor)?;
        visitor.visit_u64(value)
    }

    fn deserialize_f64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0.as_f64() {
            Some(value) => visitor.visit_f64(value),
            None => Err(self.not(&visitor)),
        }
    }

    fn deserialize_string<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0.as_string() {
            Some(value) => visitor.visit_string(value),
            None => Err(self.not(&visitor)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        if self.is_absent() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let list = self.list(&visitor)?;
        visitor.visit_seq(List { list, next: 0 })
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    /// Only for columns, which are taken as they are.
    fn deserialize_unit_struct<V: Visitor<'de>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        if self.is_absent() {
            return Err(self.not(&visitor));
        }
        hold(self.0);
        visitor.visit_unit()
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.deserialize_seq(visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        let pairs = self.pairs(&visitor)?;
        visitor.visit_map(Pairs { entries: pairs, next: 0, key: String::new(), value: JsValue::UNDEFINED })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.has_only(fields, &visitor)?;
        let mut fields = Fields { object: self.0, names: fields, next: 0, absent: false };
        visitor.visit_seq(&mut fields).map_err(|fault| fields.missing(fault))
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let (place, content) = self.variant(variants, &visitor)?;
        visitor.visit_enum(Variant { place, name: variants[place as usize], content })
    }

    serde::forward_to_deserialize_any! { char str bytes byte_buf unit identifier ignored_any i128 u128 f32 }

    fn deserialize_i8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_i64(visitor)
    }

    fn deserialize_u8<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u16<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_u64(visitor)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.deserialize_u64(visitor)
    }
}

/// The fields of a struct. They are read as a list in the order of their names, for which serde derives far less code than
/// for keys in any order.
struct Fields {
    object: JsValue,
    names: &'static [&'static str],
    next: usize,
    /// Whether the last one read is not there.
    absent: bool,
}

impl Fields {
    /// The value of the next field.
    fn advance(&mut self) -> Value {
        let name = JsValue::from_str(self.names[self.next]);
        let value = Value(Reflect::get(&self.object, &name).unwrap_or_default());
        self.next += 1;
        self.absent = value.is_absent();
        value
    }

    /// The fault of a field that is there. For one that is not, serde knows whether anything stands for it.
    #[cold]
    #[inline(never)]
    fn inside(&self, fault: Fault) -> Option<Fault> {
        (!self.absent).then(|| fault.under(self.names[self.next - 1].into()))
    }

    /// The fault of the struct: a field that is there, or one that it cannot do without.
    #[cold]
    #[inline(never)]
    fn missing(&self, fault: Fault) -> Fault {
        if self.absent { Fault::missing_field(self.names[self.next - 1]) } else { fault }
    }
}

impl<'de> SeqAccess<'de> for Fields {
    type Error = Fault;

    fn next_element_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<Option<V::Value>, Fault> {
        let value = self.advance();
        seed.deserialize(value).map_or_else(|fault| self.inside(fault).map_or(Ok(None), Err), |value| Ok(Some(value)))
    }
}

/// The entries of a map.
struct Pairs {
    entries: Array,
    next: u32,
    key: String,
    value: JsValue,
}

impl<'de> MapAccess<'de> for Pairs {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        if self.next >= self.entries.length() {
            return Ok(None);
        }
        let (key, Value(value)) = pair(&self.entries.get(self.next));
        self.next += 1;
        self.value = value;
        self.key.clone_from(&key);
        seed.deserialize(key.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Fault> {
        seed.deserialize(Value(std::mem::take(&mut self.value))).map_err(|fault| fault.under(self.key.clone()))
    }
}

/// The entries of a list.
struct List {
    list: Array,
    next: u32,
}

impl List {
    fn advance(&mut self) -> Option<Value> {
        (self.next < self.list.length()).then(|| {
            self.next += 1;
            Value(self.list.get(self.next - 1))
        })
    }

    #[cold]
    #[inline(never)]
    fn inside(&self, fault: Fault) -> Fault {
        fault.under(format!("[{}]", self.next - 1))
    }
}

impl<'de> SeqAccess<'de> for List {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        self.advance().map(|value| seed.deserialize(value).map_err(|fault| self.inside(fault))).transpose()
    }
}

/// One of the variants of an enum, named by its place too.
struct Variant {
    place: u32,
    name: &'static str,
    content: Value,
}

impl<'de> EnumAccess<'de> for Variant {
    type Error = Fault;
    type Variant = Self;

    fn variant_seed<V: DeserializeSeed<'de>>(self, seed: V) -> Result<(V::Value, Self), Fault> {
        seed.deserialize(at(self.place)).map(|variant| (variant, self))
    }
}

impl<'de> VariantAccess<'de> for Variant {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        if self.content.is_absent() { Ok(()) } else { Err(self.content.not(&"nothing more").under(self.name.into())) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(self.content).map_err(|fault| fault.under(self.name.into()))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.content.deserialize_seq(visitor).map_err(|fault| fault.under(self.name.into()))
    }

    fn struct_variant<V: Visitor<'de>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        self.content.deserialize_struct("", fields, visitor).map_err(|fault| fault.under(self.name.into()))
    }
}

/// A field or variant, by its place.
fn at(place: u32) -> U32Deserializer<Fault> {
    place.into_deserializer()
}

/// The known key that differs from `key` in case, separators or a letter or two.
fn nearest<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let plain = |s: &str| s.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    let key = plain(key);
    known
        .iter()
        .map(|name| (distance(&key, &plain(name)), *name))
        .filter(|&(edits, name)| edits <= name.len() / 3)
        .min_by_key(|&(edits, _)| edits)
        .map(|(_, name)| name)
}

/// Levenshtein distance.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
