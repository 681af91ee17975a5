//! Decoding of bytes to text.
//!
//! The encoding, in order of trust: a byte order mark; the zero bytes of UTF-16; the charset that the first game names
//! in `CA`, unless the bytes are UTF-8 beyond doubt, or are not although it says so; UTF-8 where it is valid, since many
//! programs write it without a label; the escapes of ISO-2022-JP; an East Asian charset that the crate
//! `chardetng` finds by the frequency of characters; ISO-8859-1, the default of FF\[4\], read as its superset
//! windows-1252.
//!
//! If a byte of a character may be a bracket or a backslash, the encoding with the fewest syntax errors and the most
//! nodes overrides all but the first two, so that moves do not depend on a guess.

use super::error::excerpt;
use super::lexer::{Lexer, Token};
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{
    BIG5, BIG5_INIT, EUC_JP, EUC_JP_INIT, EUC_KR, EUC_KR_INIT, Encoding, GB18030, GBK, GBK_INIT, ISO_2022_JP,
    SHIFT_JIS, SHIFT_JIS_INIT, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252,
};
use std::cmp::Reverse;

/// Charsets in which old programs wrote names without a label. The second byte of a character may be a backslash or a
/// bracket, so reading them as windows-1252 damages the text that follows.
static EAST_ASIAN: [&Encoding; 5] = [&SHIFT_JIS_INIT, &GBK_INIT, &BIG5_INIT, &EUC_KR_INIT, &EUC_JP_INIT];

/// A decoded file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The text without its byte order mark; invalid bytes are replaced by U+FFFD.
    pub text: String,
    /// The name of the charset in the Encoding Standard.
    pub charset: &'static str,
    /// Warnings about charset and label.
    pub warnings: Vec<String>,
}

/// Decodes a file. This never fails: text in a wrong charset still contains its moves, which are ASCII.
#[must_use]
pub fn decode(bytes: &[u8]) -> Decoded {
    let mut warnings = Vec::new();
    let (encoding, skipped) = match Encoding::for_bom(bytes) {
        Some(found) => found,
        None => (encoding_without_mark(bytes, &mut warnings), 0),
    };
    let (text, damaged) = encoding.decode_without_bom_handling(&bytes[skipped..]);
    if damaged {
        warnings.push(format!("some bytes are not valid {} text: replaced by \u{fffd}", encoding.name()));
    }
    Decoded { text: text.into_owned(), charset: encoding.name(), warnings }
}

fn encoding_without_mark(bytes: &[u8], warnings: &mut Vec<String>) -> &'static Encoding {
    if let Some(encoding) = utf16_by_zeros(bytes) {
        return encoding;
    }
    let label = declared_charset(bytes);
    // The label was readable byte by byte, so the file does not consist of two-byte units.
    let named = label.as_deref().and_then(encoding_named);
    let declared = named.filter(|encoding| !is_utf16(encoding));
    let found = match declared {
        Some(encoding) if encoding != UTF_8 && is_surely_utf8(bytes, encoding) => {
            Choice { encoding: UTF_8, is_declared: false }
        }
        Some(encoding) if encoding == UTF_8 && is_hardly_utf8(bytes) => {
            best_structure(bytes, likely_encoding(bytes))
        }
        None if is_iso_2022_jp(bytes) => Choice { encoding: ISO_2022_JP, is_declared: false },
        Some(encoding) => best_structure(bytes, encoding),
        None if std::str::from_utf8(bytes).is_ok() => best_structure(bytes, UTF_8),
        None => best_structure(bytes, likely_encoding(bytes)),
    };
    let name = found.encoding.name();
    match label {
        _ if declared == Some(found.encoding) || found.is_declared => {}
        Some(label) if declared.is_some() => {
            warnings.push(format!("CA[{label}] does not match the bytes of the file: read as {name}"));
        }
        Some(label) if named.is_some() => {
            warnings.push(format!("CA[{label}] is wrong, the file is not UTF-16: read as {name}"));
        }
        Some(label) => warnings.push(format!("unknown charset CA[{}]: read as {name}", excerpt(&label))),
        None if EAST_ASIAN.contains(&found.encoding) || found.encoding == ISO_2022_JP => {
            warnings.push(format!("no charset in the record: read as {name}"));
        }
        None => {}
    }
    found.encoding
}

/// Returns true if bytes with the label of `declared` are UTF-8 all the same. Two bytes of East Asian text may be UTF-8
/// by chance, three in a row seldom; letters of other charsets never are.
fn is_surely_utf8(bytes: &[u8], declared: &'static Encoding) -> bool {
    let is_east_asian = EAST_ASIAN.contains(&declared) || declared == GB18030;
    let is_evidence = |c: char| if is_east_asian { c >= '\u{800}' } else { !c.is_ascii() };
    std::str::from_utf8(bytes).is_ok_and(|text| text.contains(is_evidence))
}

/// Returns true if more bytes cannot be read as UTF-8 than characters beyond ASCII can.
fn is_hardly_utf8(bytes: &[u8]) -> bool {
    let (mut good, mut bad) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        good += chunk.valid().chars().filter(|c| !c.is_ascii()).count();
        bad += chunk.invalid().len();
    }
    bad > good
}

/// Returns true for text with the escapes of ISO-2022-JP, all of it readable.
fn is_iso_2022_jp(bytes: &[u8]) -> bool {
    let has_escape = bytes.windows(3).any(|three| three == b"\x1b$B" || three == b"\x1b$@");
    has_escape && bytes.is_ascii() && !ISO_2022_JP.decode_without_bom_handling(bytes).1
}

/// Guesses the encoding of bytes that have no label and are not UTF-8, by the frequency of characters.
fn likely_encoding(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    match detector.guess(None, Utf8Detection::Deny) {
        // Names in GBK look like EUC-JP and are more frequent in records; kana show that the text is Japanese.
        found if found == EUC_JP && !has_kana(&found.decode_without_bom_handling(bytes).0) => GBK,
        found if EAST_ASIAN.contains(&found) => found,
        _ => WINDOWS_1252,
    }
}

fn is_utf16(encoding: &Encoding) -> bool {
    encoding == UTF_16LE || encoding == UTF_16BE
}

fn has_kana(text: &str) -> bool {
    text.contains(|c| ('\u{3041}'..='\u{30fe}').contains(&c))
}

/// A chosen encoding.
struct Choice {
    encoding: &'static Encoding,
    /// True if the text decoded with it names it in `CA`.
    is_declared: bool,
}

/// Chooses the encoding that gives the fewest syntax errors, then the most nodes and values. A tie goes to the encoding
/// that the text itself names, then to `preferred`.
///
/// The second byte of a character may be a backslash or a bracket. In a wrong encoding it escapes or ends a value, so
/// that nodes are lost or text stands outside of values.
fn best_structure(bytes: &[u8], preferred: &'static Encoding) -> Choice {
    let is_escape = |byte: &u8| *byte == 0x1b;
    let has_escapes = bytes.iter().any(is_escape) && preferred != ISO_2022_JP;
    if !has_escapes && !bytes.windows(2).any(|pair| pair[0] >= 0x80 && b"\\]".contains(&pair[1])) {
        return Choice { encoding: preferred, is_declared: false };
    }
    let mut encodings = vec![preferred];
    encodings.extend(EAST_ASIAN.into_iter().chain([WINDOWS_1252]).filter(|&other| other != preferred));
    encodings.extend(has_escapes.then_some(ISO_2022_JP));
    encodings.extend(std::str::from_utf8(bytes).is_ok().then_some(UTF_8).filter(|&other| other != preferred));
    let mut best: Option<(Rank, Choice)> = None;
    let mut next = 0;
    while let Some(&encoding) = encodings.get(next) {
        next += 1;
        let (text, has_errors) = encoding.decode_without_bom_handling(bytes);
        let declared = declared_charset(text.as_bytes()).and_then(|label| encoding_named(&label));
        let is_wrong = encoding == UTF_8 && is_hardly_utf8(bytes);
        let is_declared = declared == Some(encoding) && !is_wrong;
        // A label that is readable in this encoding only adds its encoding to the list.
        let is_new = |other: &&'static Encoding| !encodings.contains(other) && !is_utf16(other);
        encodings.extend(declared.filter(is_new));
        let rank = Rank {
            structure: structure(&text),
            is_declared,
            is_preferred: encoding == preferred,
            is_whole: !has_errors,
            common: common_characters(bytes, encoding),
        };
        if best.as_ref().is_none_or(|(highest, _)| rank > *highest) {
            best = Some((rank, Choice { encoding, is_declared }));
        }
    }
    best.map_or(Choice { encoding: preferred, is_declared: false }, |(_, choice)| choice)
}

/// Evidence for an encoding, the most important first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    structure: Structure,
    is_declared: bool,
    is_preferred: bool,
    is_whole: bool,
    common: usize,
}

/// Quality of a text as SGF: few faults, then many nodes and values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Structure {
    faults: Reverse<usize>,
    nodes: usize,
    values: usize,
}

fn structure(text: &str) -> Structure {
    let (mut faults, mut nodes, mut values) = (0, 0, 0);
    let mut lexer = Lexer::new(text);
    let mut has_game = lexer.find_game();
    let mut depth = 0;
    if !has_game {
        lexer = Lexer::new(text);
        // Depth 1, since `find_damaged_game` stops behind the parenthesis.
        has_game = lexer.find_damaged_game(false).is_some();
        depth = 1;
    }
    while has_game {
        let mut is_name = false;
        loop {
            let (token, _) = lexer.next();
            faults += usize::from(is_name && !matches!(token, Token::Value(_)));
            is_name = matches!(token, Token::Name(_));
            match token {
                Token::Open => depth += 1,
                Token::Close if depth <= 1 => break,
                Token::Close => depth -= 1,
                Token::Value(_) => values += 1,
                Token::Semicolon => nodes += 1,
                Token::Name(_) => {}
                Token::Stray(_) => faults += 1,
                Token::UnendedValue | Token::End => {
                    faults += 1;
                    break;
                }
            }
        }
        depth = 0;
        has_game = lexer.find_game();
    }
    Structure { faults: Reverse(faults), nodes, values }
}

/// Counts two-byte characters that are frequent in texts of an encoding: those of the first level of its standard.
fn common_characters(bytes: &[u8], encoding: &'static Encoding) -> usize {
    let is_common = |lead: u8, trail: u8| match encoding {
        _ if encoding == BIG5 => (0xa4..=0xc6).contains(&lead),
        _ if encoding == SHIFT_JIS => matches!(lead, 0x82..=0x83 | 0x88..=0x97),
        _ if encoding == GBK => (0xb0..=0xd7).contains(&lead) && trail >= 0xa1,
        _ if encoding == EUC_KR => (0xb0..=0xc8).contains(&lead) && trail >= 0xa1,
        _ if encoding == EUC_JP => matches!(lead, 0xa4..=0xa5 | 0xb0..=0xcf) && trail >= 0xa1,
        _ => false,
    };
    let (mut count, mut index) = (0, 0);
    while let [lead, trail, ..] = bytes[index..] {
        let is_pair = lead >= 0x81 && trail >= 0x40;
        count += usize::from(is_pair && is_common(lead, trail));
        index += 1 + usize::from(is_pair);
    }
    count
}

/// Returns the encoding that a `CA` value names: a label of the Encoding Standard, or one of the others that Go
/// programs write.
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

/// Detects UTF-16 without a byte order mark: mostly ASCII text has zeros in every second byte and only there. Zeros in
/// both places are padding.
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

/// Returns the value of `CA` in the first node of the first game, read from the raw bytes.
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
        // FF[3] allowed small letters anywhere in a name; they are ignored.
        if name.iter().copied().filter(u8::is_ascii_uppercase).eq(*b"CA") {
            let label = String::from_utf8_lossy(&value[..length]);
            return (!label.trim().is_empty()).then(|| label.trim().to_owned());
        }
        rest = &value[length + 1..];
    }
}

/// Returns the byte offset behind the first `(;`, where the properties of the first node start.
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

/// Returns the number of bytes before the `]` that ends a value.
fn value_length(value: &[u8]) -> Option<usize> {
    let mut escaped = false;
    value.iter().position(|&byte| {
        let ends = byte == b']' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}
