//! Writes replies: plain JavaScript objects, by serde.
//!
//! Nothing here can fail, and the type of the error says so: it has no values, so that the code which every derived
//! `serialize` has for errors, after each of its fields, is never made. As every type that is written has its own copy of
//! the generic methods, all that does not depend on the type is kept out of them.

use std::cell::Cell;
use std::fmt::{self, Display};
use std::marker::PhantomData;

use js_sys::{Array, Object};
use serde::ser::{
    self, Impossible, Serialize, SerializeMap, SerializeSeq, SerializeStruct, SerializeTuple, Serializer,
};
use serde::{Deserialize, Deserializer};
use wasm_bindgen::prelude::*;

/// A value as plain JavaScript.
pub(super) fn write<T: Serialize + ?Sized>(value: &T) -> JsValue {
    match value.serialize(Writer) {
        Ok(written) => written,
        Err(never) => match never {},
    }
}

thread_local! {
    /// A JavaScript value on its way through serde, which has no type for such.
    static PASSED: Cell<JsValue> = const { Cell::new(JsValue::UNDEFINED) };
}

/// Writes a JavaScript value as it is. It waits in [`PASSED`] while serde is told of a struct without fields, which stands
/// for nothing else here.
pub(super) fn pass<S: Serializer>(value: &JsValue, serializer: S) -> Result<S::Ok, S::Error> {
    PASSED.set(value.clone());
    PhantomData::<()>.serialize(serializer)
}

/// Reads a JavaScript value as it is, in the same way.
pub(super) fn passed<'de, D: Deserializer<'de>>(deserializer: D) -> Result<JsValue, D::Error> {
    PhantomData::<()>::deserialize(deserializer).map(|_| PASSED.take())
}

/// Holds a value for [`passed`].
pub(super) fn hold(value: JsValue) {
    PASSED.set(value);
}

#[wasm_bindgen]
extern "C" {
    /// An object, by the names of its fields.
    #[wasm_bindgen(extends = Object)]
    type Named;

    #[wasm_bindgen(method, indexing_setter)]
    fn set(this: &Named, key: &str, value: &JsValue);
}

/// What goes wrong: nothing. Tuples with names, which no reply has, are a bug and end in a panic.
#[derive(Debug)]
enum Never {}

impl Display for Never {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {}
    }
}

impl std::error::Error for Never {}

impl ser::Error for Never {
    fn custom<T: Display>(message: T) -> Self {
        unreachable!("a reply was refused: {message}")
    }
}

type Written = Result<JsValue, Never>;

#[derive(Clone, Copy)]
struct Writer;

impl Serializer for Writer {
    type Ok = JsValue;
    type Error = Never;
    type SerializeSeq = List;
    type SerializeTuple = List;
    type SerializeTupleStruct = Impossible<JsValue, Never>;
    type SerializeTupleVariant = Impossible<JsValue, Never>;
    type SerializeMap = Fields;
    type SerializeStruct = Fields;
    type SerializeStructVariant = Impossible<JsValue, Never>;

    fn serialize_bool(self, value: bool) -> Written {
        Ok(JsValue::from_bool(value))
    }

    fn serialize_i8(self, value: i8) -> Written {
        self.serialize_f64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Written {
        self.serialize_f64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Written {
        self.serialize_f64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Written {
        self.serialize_f64(value as f64)
    }

    fn serialize_u8(self, value: u8) -> Written {
        self.serialize_f64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Written {
        self.serialize_f64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Written {
        self.serialize_f64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Written {
        self.serialize_f64(value as f64)
    }

    fn serialize_f32(self, value: f32) -> Written {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Written {
        Ok(JsValue::from_f64(value))
    }

    fn serialize_char(self, value: char) -> Written {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Written {
        Ok(JsValue::from_str(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Written {
        Ok(js_sys::Uint8Array::from(value).into())
    }

    fn serialize_none(self) -> Written {
        Ok(JsValue::UNDEFINED)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        Ok(JsValue::UNDEFINED)
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        Ok(PASSED.take())
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        Ok(under(variant, write(value)))
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<List, Never> {
        Ok(List(Array::new()))
    }

    fn serialize_tuple(self, _: usize) -> Result<List, Never> {
        Ok(List(Array::new()))
    }

    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Self::SerializeTupleStruct, Never> {
        unreachable!("a reply has the tuple {name}")
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Never> {
        unreachable!("a reply has the tuple {name}")
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Fields, Never> {
        Ok(Fields::new())
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Fields, Never> {
        Ok(Fields::new())
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        name: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, Never> {
        unreachable!("a reply has the tuple {name}")
    }
}

/// `{ name: value }`.
fn under(name: &str, value: JsValue) -> JsValue {
    let mut fields = Fields::new();
    fields.put(name, value);
    fields.object.into()
}

/// An array, or what becomes one.
struct List(Array);

impl List {
    #[inline(never)]
    #[allow(clippy::needless_pass_by_value, reason = "so that no caller has to drop it")]
    fn put(&mut self, value: JsValue) {
        self.0.push(&value);
    }
}

impl SerializeSeq for List {
    type Ok = JsValue;
    type Error = Never;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        self.put(write(value));
        Ok(())
    }

    fn end(self) -> Written {
        Ok(self.0.into())
    }
}

impl SerializeTuple for List {
    type Ok = JsValue;
    type Error = Never;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        SerializeSeq::serialize_element(self, value)
    }

    fn end(self) -> Written {
        SerializeSeq::end(self)
    }
}

/// The fields of an object.
struct Fields {
    object: Named,
    /// The key of a map whose value comes next.
    key: String,
}

impl Fields {
    #[inline(never)]
    fn new() -> Self {
        Self { object: Object::new().unchecked_into(), key: String::new() }
    }

    #[inline(never)]
    #[allow(clippy::needless_pass_by_value, reason = "so that no caller has to drop it")]
    fn put(&mut self, key: &str, value: JsValue) {
        self.object.set(key, &value);
    }
}

impl SerializeStruct for Fields {
    type Ok = JsValue;
    type Error = Never;

    fn serialize_field<T: Serialize + ?Sized>(&mut self, key: &'static str, value: &T) -> Result<(), Never> {
        self.put(key, write(value));
        Ok(())
    }

    fn end(self) -> Written {
        Ok(self.object.into())
    }
}

impl SerializeMap for Fields {
    type Ok = JsValue;
    type Error = Never;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Never> {
        self.key = write(key).as_string().unwrap_or_default();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Never> {
        let key = std::mem::take(&mut self.key);
        self.put(&key, write(value));
        Ok(())
    }

    fn end(self) -> Written {
        Ok(self.object.into())
    }
}
