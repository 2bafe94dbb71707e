//! JSON as people read it.

/// The same JSON with a line for each value. Works on the text, so that numbers stay as they were written.
pub fn indented(json: &str) -> String {
    let mut text = String::with_capacity(json.len() * 2);
    let mut depth = 0_usize;
    let (mut in_string, mut is_escaped) = (false, false);
    let mut chars = json.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            _ if in_string => {
                // JSON escapes most control characters itself; the rest could still steer a terminal.
                match c.is_control() {
                    true => text.push_str(&format!("\\u{:04x}", u32::from(c))),
                    false => text.push(c),
                }
                (in_string, is_escaped) = (c != '"' || is_escaped, c == '\\' && !is_escaped);
            }
            '"' => {
                in_string = true;
                text.push(c);
            }
            ' ' | '\n' | '\r' | '\t' => {}
            '{' | '[' => {
                text.push(c);
                while chars.next_if(char::is_ascii_whitespace).is_some() {}
                if let Some(end) = chars.next_if(|next| matches!(next, '}' | ']')) {
                    text.push(end);
                } else {
                    depth += 1;
                    new_line(&mut text, depth);
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut text, depth);
                text.push(c);
            }
            ',' => {
                text.push(c);
                new_line(&mut text, depth);
            }
            ':' => text.push_str(": "),
            _ => text.push(c),
        }
    }
    text
}

fn new_line(text: &mut String, depth: usize) {
    text.push('\n');
    text.push_str(&"  ".repeat(depth));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_indented_is_the_same_json() {
        for json in [
            "null",
            "12345678901234567890.10",
            "{}",
            "[ ]",
            r#"{"a":[1,{"b":"x, {y}: \"z\" \\"},[]],"c":{},"d":"\\"}"#,
            "{\n  \"a\" : 1 }",
        ] {
            let indented = indented(json);
            let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_eq!(parse(&indented), parse(json), "{indented}");
            if !json.contains("12345678901234567890") {
                assert_eq!(indented, serde_json::to_string_pretty(&parse(json)).unwrap());
            }
        }
        assert_eq!(indented("12345678901234567890.10"), "12345678901234567890.10");
        assert_eq!(indented("\"a\u{9b}2J\""), "\"a\\u009b2J\"");
    }
}
