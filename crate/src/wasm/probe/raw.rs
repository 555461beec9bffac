//! Rows, counts, pairs and groups as JavaScript has them, read by hand because they are large and of text.

use serde::{Deserialize, Deserializer};
use wasm_bindgen::prelude::*;

use super::wrong;
use crate::ingest::unescape;
use crate::probe::{Collector, Counts, Cut, Lists, Vocabulary};
use crate::problem::Result;
use crate::wasm::fields::{Column, describe};
use crate::wasm::writing::passed;

/// A value that is read by hand, because it is large and of text.
#[derive(Debug)]
pub(super) struct Raw(JsValue);

impl<'de> Deserialize<'de> for Raw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        passed(deserializer).map(Self)
    }
}

impl Raw {
    fn list(&self, name: &str) -> Result<&js_sys::Array> {
        self.0
            .dyn_ref()
            .ok_or_else(|| wrong(name, format!("`{name}` is {}, not an array", describe(&self.0)), "Pass an array."))
    }

    /// Rows of keywords. A million texts cross as one, written as JSON: one by one they take four times as long.
    pub(super) fn rows(&self) -> Result<Collector> {
        self.list("rows")?;
        let text = js_sys::JSON::stringify(&self.0).ok().and_then(|text| text.as_string()).unwrap_or_default();
        let mut collector = Collector::default();
        let (mut at, mut row) = (1, 0);
        let mut keyword = String::new();
        let bytes = text.as_bytes();
        while bytes.get(at).is_some_and(|&byte| byte != b']') {
            let fault = |what: &str| {
                let hint = "Give each row the array of its keywords: [[\"web\", \"crawling\"], [\"web\"]].";
                wrong("rows", format!("row {row} (counting from 0) {what}"), hint).at_row(row)
            };
            if bytes[at] != b'[' {
                return Err(fault("is not an array"));
            }
            at += 1;
            while bytes.get(at).is_some_and(|&byte| byte != b']') {
                if bytes[at] != b'"' {
                    return Err(fault("has a keyword that is not a text"));
                }
                keyword.clear();
                let mut start = at + 1;
                loop {
                    // Neither a quote nor a backslash is ever a part of another character.
                    let special = |byte: &u8| matches!(byte, b'"' | b'\\');
                    let Some(length) = bytes[start..].iter().position(special) else { return Err(fault("has no end")) };
                    keyword.push_str(&text[start..start + length]);
                    start += length + 1;
                    if bytes[start - 1] == b'"' {
                        break;
                    }
                    let Some((c, length)) = unescape(&bytes[start..]) else { return Err(fault("has no end")) };
                    keyword.push(c);
                    start += length;
                }
                collector.cell(0, &keyword, Cut::Whole)?;
                at = start + usize::from(bytes.get(start) == Some(&b','));
            }
            collector.end_row();
            row += 1;
            at += 1 + usize::from(bytes.get(at + 1) == Some(&b','));
        }
        Ok(collector)
    }

    /// A record of keyword → count.
    pub(super) fn counts(&self, vocabulary: &Vocabulary, counts: &mut Counts) -> Result<()> {
        let hint = "Give an object of keyword: count, such as { web: 120000, crawling: 900 }.";
        if !self.0.is_object() || js_sys::Array::is_array(&self.0) {
            return Err(wrong("counts", format!("`counts` is {}, not an object", describe(&self.0)), hint));
        }
        for entry in js_sys::Object::entries(self.0.unchecked_ref()).iter() {
            let entry: js_sys::Array = entry.unchecked_into();
            let (keyword, count) = (entry.get(0).as_string().unwrap_or_default(), entry.get(1));
            let Some(count) = count.as_f64() else {
                let message = format!("the count of {keyword:?} is {}, not a number", describe(&count));
                return Err(wrong("counts", message, hint));
            };
            counts.keyword(vocabulary, 0, keyword.trim(), count)?;
        }
        Ok(())
    }

    /// Pairs and their counts.
    pub(super) fn pairs(&self, vocabulary: &Vocabulary, counts: &mut Counts) -> Result<()> {
        for (number, pair) in self.list("pairs")?.iter().enumerate() {
            let parts = pair.dyn_ref::<js_sys::Array>().filter(|pair| pair.length() == 3);
            let parts = parts
                .and_then(|pair| Some((pair.get(0).as_string()?, pair.get(1).as_string()?, pair.get(2).as_f64()?)));
            let Some((a, b, count)) = parts else {
                let message = format!("pair {number} (counting from 0) is not two texts and a number");
                return Err(wrong("pairs", message, "Write each as [\"web\", \"crawling\", 450].").at_row(number));
            };
            counts.pair(vocabulary, (0, a.trim()), (0, b.trim()), count)?;
        }
        Ok(())
    }

    /// Groups of rows.
    pub(super) fn groups(&self) -> Result<Lists> {
        let mut groups = Lists::default();
        for group in self.list("groups")?.iter() {
            Column::from(group).indices("groups")?.into_iter().for_each(|row| groups.push(row));
            groups.end_list();
        }
        Ok(groups)
    }
}
