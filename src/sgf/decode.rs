//! Bytes to text.
//!
//! In order of trust: a byte order mark; the zero bytes of UTF-16; the charset that the first game
//! names in `CA`; valid UTF-8, which many programs write without saying so; a charset of East Asia that
//! the crate `chardetng` finds by the frequency of its characters; and last what FF\[4\] makes the default,
//! ISO-8859-1, read as its superset windows-1252.

use super::error::excerpt;
use super::lexer::{Lexer, Token};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5_INIT, EUC_JP, EUC_JP_INIT, EUC_KR_INIT, Encoding, GBK, GBK_INIT, SHIFT_JIS_INIT, UTF_8, UTF_16BE,
    UTF_16LE, WINDOWS_1252,
};

/// Charsets in which old programs wrote names without saying so. The second byte of a character may be a backslash or a
/// bracket: read as windows-1252, it spoils what follows.
static EAST_ASIAN: [&Encoding; 5] = [&SHIFT_JIS_INIT, &GBK_INIT, &BIG5_INIT, &EUC_KR_INIT, &EUC_JP_INIT];

/// A decoded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text, without byte order mark. Bytes that mean nothing became U+FFFD.
    pub text: String,
    /// The name of its charset in the Encoding Standard.
    pub charset: &'static str,
    /// What was odd.
    pub warnings: Vec<String>,
}

/// Decodes a file. This never fails: text in a wrong charset still has its moves, which are ASCII.
#[must_use]
pub fn decode(bytes: &[u8]) -> Decoded {
    let mut warnings = Vec::new();
    let (encoding, skipped) = match Encoding::for_bom(bytes) {
        Some(found) => found,
        None => (encoding_without_mark(bytes, &mut warnings), 0),
    };
    let (text, damaged) = encoding.decode_without_bom_handling(&bytes[skipped..]);
    if damaged {
        warnings.push(format!("some bytes are no {} text: they were replaced by \u{fffd}", encoding.name()));
    }
    Decoded { text: text.into_owned(), charset: encoding.name(), warnings }
}

fn encoding_without_mark(bytes: &[u8], warnings: &mut Vec<String>) -> &'static Encoding {
    if let Some(encoding) = utf16_by_zeros(bytes) {
        return encoding;
    }
    let fallback = || if std::str::from_utf8(bytes).is_ok() { UTF_8 } else { likely_encoding(bytes) };
    let Some(label) = declared_charset(bytes) else {
        let found = fallback();
        if EAST_ASIAN.contains(&found) {
            warnings.push(format!("no charset in the record: read as {}", found.name()));
        }
        return found;
    };
    match encoding_named(&label) {
        // The label was legible byte by byte, so the file is not made of two-byte units.
        Some(encoding) if encoding != UTF_16LE && encoding != UTF_16BE => encoding,
        Some(_) => {
            let found = fallback();
            warnings.push(format!("CA[{label}] is wrong, the file is not UTF-16: read as {}", found.name()));
            found
        }
        None => {
            let found = fallback();
            warnings.push(format!("unknown charset CA[{}]: read as {}", excerpt(&label), found.name()));
            found
        }
    }
}

/// The encoding of bytes that say nothing of it and are no UTF-8.
fn likely_encoding(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let found = match detector.guess(None, Utf8Detection::Deny) {
        // Names in GBK look like this as well, and are what is met; kana stand for Japanese.
        found if found == EUC_JP && !has_kana(&found.decode_without_bom_handling(bytes).0) => GBK,
        found => found,
    };
    // What swallows a bracket is the wrong one.
    let western = count_values(bytes, WINDOWS_1252);
    if EAST_ASIAN.contains(&found) && count_values(bytes, found) >= western {
        return found;
    }
    if western.is_some() {
        return WINDOWS_1252;
    }
    EAST_ASIAN.into_iter().find(|other| count_values(bytes, other).is_some()).unwrap_or(WINDOWS_1252)
}

fn has_kana(text: &str) -> bool {
    text.contains(|c| ('\u{3041}'..='\u{30fe}').contains(&c))
}

/// How many values the games of a text have; `None` if the bytes are no such text, or a game or a value does not end.
fn count_values(bytes: &[u8], encoding: &'static Encoding) -> Option<usize> {
    let text = encoding.decode_without_bom_handling_and_without_replacement(bytes)?;
    let mut lexer = Lexer::new(&text);
    let mut values = 0;
    while lexer.find_game() {
        let mut depth = 0;
        loop {
            match lexer.next().0 {
                Token::Open => depth += 1,
                Token::Close if depth == 1 => break,
                Token::Close => depth -= 1,
                Token::Value(_) => values += 1,
                Token::Semicolon | Token::Name(_) => {}
                Token::UnendedValue | Token::Stray(_) | Token::End => return None,
            }
        }
    }
    Some(values)
}

/// The encoding that a `CA` value means: the labels of the Encoding Standard, and some that Go
/// programs write besides.
#[must_use]
pub fn encoding_named(label: &str) -> Option<&'static Encoding> {
    let label = label.trim();
    if let Some(encoding) = Encoding::for_label_no_replacement(label.as_bytes()) {
        return Some(encoding);
    }
    let squashed: String =
        label.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
    let standard = match squashed.as_str() {
        "iso2022jp" => "iso-2022-jp",
        "cp932" | "shiftjis" | "windows31j" => "shift_jis",
        "eucjp" => "euc-jp",
        "cp936" | "euccn" | "windows936" => "gbk",
        "cp949" | "euckr" | "uhc" => "euc-kr",
        "cp950" | "euctw" => "big5",
        "koi8r" => "koi8-r",
        "koi8u" => "koi8-u",
        "win1250" => "windows-1250",
        "win1251" => "windows-1251",
        "win1252" | "ansi" | "iso646us" => "windows-1252",
        other => other,
    };
    Encoding::for_label_no_replacement(standard.as_bytes())
}

/// UTF-16 without a mark: text that is mostly ASCII has zeros in every other byte, and in those only.
/// Zeros in both places are padding.
fn utf16_by_zeros(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(1024)];
    let zeros = |parity: usize| sample.iter().skip(parity).step_by(2).filter(|&&byte| byte == 0).count();
    let (even, odd) = (zeros(0), zeros(1));
    let enough = sample.len().max(4) / 4;
    if odd >= enough && odd > 8 * even {
        Some(UTF_16LE)
    } else if even >= enough && even > 8 * odd {
        Some(UTF_16BE)
    } else {
        None
    }
}

/// The value of `CA` in the first node of the first game, found in the raw bytes.
fn declared_charset(bytes: &[u8]) -> Option<String> {
    let mut rest = &bytes[root_properties(bytes)?..];
    loop {
        let name_length = rest.iter().position(|&byte| byte == b'[')?;
        let name = &rest[..name_length];
        if name.iter().any(|byte| b"();".contains(byte)) {
            return None;
        }
        let value = &rest[name_length + 1..];
        let length = value_length(value)?;
        // FF[3] allowed small letters anywhere in a name. They do not count.
        if name.iter().copied().filter(u8::is_ascii_uppercase).eq(*b"CA") {
            let label = String::from_utf8_lossy(&value[..length]);
            return (!label.trim().is_empty()).then(|| label.trim().to_owned());
        }
        rest = &value[length + 1..];
    }
}

/// Where the properties of the first node start: behind `(;`.
fn root_properties(bytes: &[u8]) -> Option<usize> {
    let mut after_open = false;
    for (index, &byte) in bytes.iter().enumerate() {
        match byte {
            b'(' => after_open = true,
            b';' if after_open => return Some(index + 1),
            _ => after_open &= byte.is_ascii_whitespace() || byte == 0x0b,
        }
    }
    None
}

/// Bytes before the `]` that ends a value.
fn value_length(value: &[u8]) -> Option<usize> {
    let mut escaped = false;
    value.iter().position(|&byte| {
        let ends = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}
