//! Lines of JSON that end with a line about all before it: their number and their hash.

use serde::Serialize;

/// The last line.
#[derive(Debug, Serialize)]
struct TextSeal {
    records: u32,
    blake3: String,
}

/// Something as a line of JSON.
pub fn json_line_of(object: &impl Serialize) -> String {
    // Neither a map with keys that are no strings nor a failing `Serialize` is ever in it.
    serde_json::to_string(object).unwrap_or_default() + "\n"
}

/// Puts the last line behind a first line and lines of records.
pub fn seal_text(mut text: String) -> String {
    let seal = seal_of(&text);
    text += &seal;
    text
}

/// The lines before the last, if they are what that says.
///
/// # Errors
/// What is wrong, in words.
pub fn unseal_text(text: &str) -> Result<&str, &'static str> {
    let body = text.strip_suffix('\n').ok_or("its end is missing")?;
    let end = body.rfind('\n').ok_or("its end is missing")? + 1;
    let (before, last) = text.split_at(end);
    if last != seal_of(before) {
        return Err("the file is cut short, or its contents do not match its hash");
    }
    Ok(before)
}

/// The last line of a text: the first line is no record.
fn seal_of(before: &str) -> String {
    let records = before.lines().count().saturating_sub(1) as u32;
    json_line_of(&TextSeal { records, blake3: blake3::hash(before.as_bytes()).to_hex().to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_changed_byte_is_noticed() {
        let sealed = seal_text("{\"head\":1}\n{\"a\":2}\n".to_owned());
        assert_eq!(unseal_text(&sealed), Ok("{\"head\":1}\n{\"a\":2}\n"));
        for at in 0..sealed.len() {
            let mut bytes = sealed.clone().into_bytes();
            bytes[at] ^= 1;
            assert!(unseal_text(&String::from_utf8(bytes).unwrap()).is_err(), "{at}");
            assert!(unseal_text(&sealed[..at]).is_err(), "{at}");
        }
    }
}
