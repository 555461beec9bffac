//! Any text is a plan that has one link, or a problem that says what to do; so is any body inside a sound envelope.
#![no_main]

use std::io::Write as _;

use afresh::plan::{PlanData, decode, encode};
use base64::Engine as _;
use libfuzzer_sys::fuzz_target;

// The first byte says whether the rest is the text of a link or what a link's envelope holds.
fuzz_target!(|bytes: &[u8]| {
    let [how, content @ ..] = bytes else { return };
    let text = if how & 1 == 0 { String::from_utf8_lossy(content).into_owned() } else { sealed(content) };
    match decode(&text) {
        Ok(plan) => {
            if let PlanData::Table(table) = &plan.data
                && table.has_cells()
                && table.rows > 0
            {
                let again = table.table().expect("a checked table can be unfolded");
                assert_eq!((again.rows(), again.columns()), (table.rows, table.columns.len()));
            }
            // Only what was sealed here can be too long for a link.
            if let Ok(link) = encode(&plan) {
                assert_eq!(decode(&link).as_ref(), Ok(&plan));
                assert_eq!(encode(&plan).as_ref(), Ok(&link));
            }
        }
        Err(problem) => assert!(!problem.message.is_empty() && !problem.hint.is_empty(), "{problem:?}"),
    }
});

/// A body in an envelope as Afresh makes it, so that the checksum does not keep the fuzzer out.
fn sealed(body: &[u8]) -> String {
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(body).expect("memory takes all");
    let packed = encoder.finish().expect("memory takes all");
    let mut bytes = Vec::new();
    for mut length in [body.len(), packed.len()] {
        while length > 0x7f {
            bytes.push(0x80 | u8::try_from(length & 0x7f).expect("seven bits"));
            length >>= 7;
        }
        bytes.push(u8::try_from(length).expect("seven bits"));
    }
    let mut check = crc32fast::Hasher::new();
    check.update(&bytes);
    check.update(&packed);
    bytes.extend(check.finalize().to_le_bytes());
    bytes.extend(packed);
    format!("p1.{}", base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(bytes))
}
