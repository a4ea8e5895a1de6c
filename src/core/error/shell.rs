//! Words of a shell.

use std::borrow::Cow;

/// A text as a shell takes it for one word: in quotes where it has to be.
pub fn shell_word(text: &str) -> Cow<'_, str> {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./+,:@%=".contains(&byte);
    match !text.is_empty() && text.bytes().all(is_plain) {
        true => Cow::Borrowed(text),
        false => Cow::Owned(format!("'{}'", text.replace('\'', r"'\''"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_shell_takes_it_for_one_word() {
        assert_eq!(shell_word("/shared/plan-2"), "/shared/plan-2");
        for text in ["", "R U' F", "it's a \"$HOME\" `x` \\", "two\nlines", "*", "~", "a&b", "ä"] {
            let script = format!("printf %s {}", shell_word(text));
            let said = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), text);
        }
    }
}
