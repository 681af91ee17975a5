//! Names in all charsets, declared or not.

use super::*;
use encoding_rs::{BIG5, EUC_KR, GBK, SHIFT_JIS, WINDOWS_1252};

#[test]
fn names_are_decoded_from_the_charset_that_the_file_declares() {
    for (label, bytes, name) in [
        ("UTF-8", &b"\xe6\x9c\xac"[..], "本"),
        ("ISO-2022-JP", b"\x1b$BK\\\x1b(B", "本"),
        ("ISO2022JP", b"\x1b$BK\\\x1b(B", "本"),
        ("Shift_JIS", b"\x83\x5c\x83\x5d", "ソゾ"),
        ("MS_KANJI", b"\x83\x5c\x83\x5d", "ソゾ"),
        ("CP932", b"\x83\x5c", "ソ"),
        ("EUC-JP", b"\xcb\xdc", "本"),
        ("GB2312", b"\xb1\xbe", "本"),
        ("EUC-CN", b"\xb1\xbe", "本"),
        ("gb18030", b"\xb1\xbe", "本"),
        ("Big5", b"\xa5\xbb", "本"),
        ("EUC-KR", b"\xb9\xda", "박"),
        ("KOI8-R", b"\xd1", "я"),
        ("CP1251", b"\xff", "я"),
        ("Windows-1251", b"\xff", "я"),
        ("ISO-8859-1", b"\xe9", "é"),
        ("latin1", b"\xe9", "é"),
        ("ISO-8859-15", b"\xa4", "€"),
        ("", b"\xe9", "é"),
        ("", b"\xc3\xa9", "é"),
    ] {
        let declared = if label.is_empty() { String::new() } else { format!("CA[{label}]") };
        let file = [b"(\n;GM[1]", declared.as_bytes(), b"PB[", bytes, b"];B[aa])"].concat();
        let collection = sgf::read(&file).unwrap_or_else(|error| panic!("{label}: {error}"));
        assert_eq!(collection.games[0].names[0].as_deref(), Some(name), "{label}");
        assert_eq!((collection.warnings, collection.games[0].move_count()), (vec![], 1), "{label}");
    }
}

#[test]
fn utf_sixteen_and_byte_order_marks_are_recognised() {
    let text = "(;SZ[9]PB[本因坊]CA[UTF-16];B[aa])";
    let units = |to_bytes: fn(u16) -> [u8; 2], mark: &str| -> Vec<u8> {
        format!("{mark}{text}").encode_utf16().flat_map(to_bytes).collect()
    };
    for (bytes, charset) in [
        (units(u16::to_le_bytes, "\u{feff}"), "UTF-16LE"),
        (units(u16::to_be_bytes, "\u{feff}"), "UTF-16BE"),
        (units(u16::to_le_bytes, ""), "UTF-16LE"),
        (units(u16::to_be_bytes, ""), "UTF-16BE"),
        (format!("\u{feff}{text}").into_bytes(), "UTF-8"),
        ([text.as_bytes(), &[0; 500]].concat(), "UTF-8"),
    ] {
        let collection = sgf::read(&bytes).unwrap();
        assert_eq!(collection.charset, charset);
        assert_eq!(collection.games[0].names[0].as_deref(), Some("本因坊"), "{charset}");
    }
}

#[test]
fn an_unknown_or_wrong_charset_is_a_warning() {
    let collection = sgf::read(b"(;CA[unknownencoding]PB[\xe9])").unwrap();
    assert_eq!(collection.games[0].names[0].as_deref(), Some("é"));
    assert_eq!(collection.warnings, ["unknown charset CA[unknownencoding]: read as windows-1252"]);
    assert_eq!(sgf::read(b"(;CA[UTF-8]PB[\xe9])").unwrap().warnings.len(), 1);
    assert_eq!(sgf::read(b"(;CA[UTF-16])").unwrap().warnings.len(), 1);
    assert_eq!(sgf::read(b"(;CA[UTF-8])(;CA[Big5])").unwrap().warnings.len(), 1);
    assert_eq!(sgf::read(b"(;C[CA[ \\] CA[x]CA[Big5])").unwrap().charset, "Big5");
}

#[test]
fn a_label_that_the_bytes_contradict_is_not_believed() {
    for label in ["GB2312", "Big5", "Shift_JIS", "EUC-KR", "ISO-8859-1", "KOI8-R"] {
        for name in ["柯洁", "聂卫平", "이세돌"] {
            let collection = sgf::read(format!("(;CA[{label}]PB[{name}];B[aa])").as_bytes()).unwrap();
            assert_eq!(
                (collection.games[0].names[0].as_deref(), collection.warnings.len()),
                (Some(name), 1),
                "{label}"
            );
        }
    }
    let collection = sgf::read("(;CA[ISO-8859-1]PB[J\u{f6}rg])".as_bytes()).unwrap();
    assert_eq!(collection.games[0].names[0].as_deref(), Some("J\u{f6}rg"));
    let collection = sgf::read(b"(;CA[UTF-8]PB[J\xf6rg])").unwrap();
    assert_eq!(collection.games[0].names[0].as_deref(), Some("J\u{f6}rg"));
    let collection = sgf::read(b"(;PB[\x1b$B9bHx?BO)\x1b(B];B[aa])").unwrap();
    assert_eq!(collection.games[0].names[0].as_deref(), Some("高尾紳路"));
    let damaged = "(;CA[UTF-8]PB[柯洁]PW[古力".as_bytes();
    let collection = sgf::read(&[damaged, b"\xe5])"].concat()).unwrap();
    assert_eq!(collection.games[0].names[0].as_deref(), Some("柯洁"), "one bad byte among many good ones");
}

#[test]
fn a_charset_of_east_asia_that_nobody_names_is_found_and_said() {
    for (encoding, names) in [
        (SHIFT_JIS, ["坂田栄男", "藤沢朋斎", "十段", "可能"]),
        // The second byte of ゾ is a bracket, of ソ a backslash.
        (SHIFT_JIS, ["ソ", "ゾ田", "予選", "名人戦"]),
        (GBK, ["常昊", "李昌镐", "春兰杯", "黑中盘胜"]),
        (BIG5, ["周俊勳", "張栩", "中環盃", "許功蓋"]),
        (EUC_KR, ["이창호", "조훈현", "국수전", "결승"]),
    ] {
        let [black, white, event, title] = names;
        let text =
            format!("(;SZ[19]PB[{black}]PW[{white}]EV[{event}]GN[{title}]KM[4.5]RU[Japanese];B[qd];W[dc])");
        let (bytes, _, is_lossy) = encoding.encode(&text);
        assert!(!is_lossy, "{text}");
        let collection = sgf::read(&bytes).unwrap_or_else(|error| panic!("{text}: {error}"));
        let record = &collection.games[0];
        assert_eq!(collection.warnings, [format!("no charset in the record: read as {}", encoding.name())]);
        assert_eq!(record.names.each_ref().map(Option::as_deref), [Some(black), Some(white)]);
        assert_eq!((record.event.as_deref(), record.title.as_deref()), (Some(event), Some(title)));
        assert_eq!((record.komi, record.move_count()), (Some(4.5), 2), "{text}");
    }
}

#[test]
fn western_names_are_western_where_no_charset_is_named() {
    for name in ["Müller", "García", "Bjørn Ødegård", "François", "é", "Cho Chikun ©", "“x”"] {
        let text = format!("(;SZ[9]PB[{name}]KM[6.5];B[ee])");
        let collection =
            sgf::read(&WINDOWS_1252.encode(&text).0).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!((collection.charset, collection.warnings), ("windows-1252", vec![]), "{name}");
        assert_eq!(collection.games[0].names[0].as_deref(), Some(name));
    }
}

/// Returns all two-byte characters of an encoding with this second byte.
fn characters_with(encoding: &'static encoding_rs::Encoding, second: u8) -> Vec<[u8; 2]> {
    let is_one = |pair: &[u8; 2]| {
        let text = encoding.decode_without_bom_handling_and_without_replacement(pair);
        text.is_some_and(|text| text.chars().count() == 1)
    };
    (0x81..=0xfe).map(|lead| [lead, second]).filter(is_one).collect()
}

#[test]
fn no_move_is_lost_to_a_short_text_of_east_asia_with_or_without_its_charset() {
    for (encoding, label, before, after) in [
        (BIG5, "Big5", &b"\xa4\xa4"[..], &b"\xa4\xe5"[..]),
        (SHIFT_JIS, "Shift_JIS", b"\x93\xfa", b"\x96\x7b"),
        (GBK, "GB18030", b"\xd6\xd0", b"\xce\xc4"),
        (EUC_KR, "EUC-KR", b"\xc7\xd1", b"\xb1\xb9"),
    ] {
        let mut characters = characters_with(encoding, b'\\');
        characters.extend(characters_with(encoding, b']'));
        assert!(characters.len() > 100 || encoding == EUC_KR, "{label}: {}", characters.len());
        // Characters without such bytes, after which a wrong encoding takes the closing bracket for a second byte.
        characters
            .extend((0xb0..=0xc8).map(|lead| [lead, 0xa1]).filter(|_| encoding == EUC_KR || encoding == GBK));
        for character in characters {
            let texts = [
                character.to_vec(),
                [before, &character].concat(),
                [&character, after].concat(),
                [before, &character, after].concat(),
            ];
            for text in &texts {
                let comment = [b"C[", &text[..], b"]"].concat();
                let moves = [b";B[ee]", &comment[..], b";W[cc]", &comment, b";B[gg];W[gc]"].concat();
                let named = [b"PB[", &text[..], b"]CA[", label.as_bytes(), b"]"].concat();
                let named_first = [b"CA[", label.as_bytes(), b"]PB[", &text[..], b"]"].concat();
                for root in [&b""[..], &[b"PB[", &text[..], b"]"].concat(), &named, &named_first] {
                    let record = [b"(;GM[1]FF[4]SZ[9]KM[6.5]", root, &moves, b")\n"].concat();
                    let collection = sgf::read(&record)
                        .unwrap_or_else(|error| panic!("{label} {root:x?} {text:x?}: {error}"));
                    let count = collection.games[0].move_count();
                    assert_eq!((count, collection.games.len()), (4, 1), "{label} {root:x?} {text:x?}");
                    if root.windows(2).any(|pair| pair == b"CA") {
                        let named =
                            tewari::records::sgf::decode::encoding_named(label).map(|found| found.name());
                        assert_eq!(Some(collection.charset), named, "{root:x?}");
                    }
                }
                // A wrong label loses no moves either.
                let record = [b"(;SZ[9]CA[UTF-8]", &moves[..], b")"].concat();
                assert_eq!(sgf::read(&record).expect("a game").games[0].move_count(), 4, "{label} {text:x?}");
            }
        }
    }
}

#[test]
fn escaped_brackets_behind_western_letters_are_kept() {
    for (label, letter) in [("ISO-8859-1", 0xe9), ("windows-1251", 0xff), ("KOI8-R", 0xd1)] {
        for declared in [format!("CA[{label}]"), String::new()] {
            let comment = [b"C[[caf", &[letter][..], b"\\] ", &[letter], b"]"].concat();
            let record =
                [b"(;SZ[9]", declared.as_bytes(), b";B[ee]", &comment, b";W[cc]", &comment, b")"].concat();
            let game = sgf::read(&record).expect("a game").games.remove(0);
            assert_eq!(game.move_count(), 2, "{label}");
            assert!(game.nodes[1].comment().is_some_and(|text| text.contains("] ")), "{label}");
        }
    }
}
