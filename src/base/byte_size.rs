//! Sizes in bytes as text.

/// Formats bytes in the largest binary unit that divides them, as options accept them.
#[must_use]
pub fn exact_bytes(bytes: u64) -> String {
    let units = [(30, "GiB"), (20, "MiB"), (10, "KiB")];
    let unit = units.iter().find(|(shift, _)| bytes > 0 && bytes.is_multiple_of(1 << shift));
    unit.map_or_else(|| format!("{bytes} bytes"), |(shift, name)| format!("{}{name}", bytes >> shift))
}

/// Formats bytes in a binary unit with at most two digits, or all before the decimal point.
#[must_use]
pub fn rounded_bytes(bytes: f64) -> String {
    let (unit, name) = [(30, "GiB"), (20, "MiB"), (10, "KiB")]
        .into_iter()
        .map(|(shift, name)| (f64::from(1 << shift), name))
        .find(|&(unit, _)| bytes >= unit)
        .unwrap_or((1.0, "bytes"));
    let value = bytes / unit;
    let tenths = (10.0 * value).round() / 10.0;
    if tenths >= 10.0 || tenths.fract() == 0.0 {
        format!("{value:.0} {name}")
    } else {
        format!("{tenths} {name}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_written_as_people_do() {
        for (bytes, text) in
            [(16384, "16KiB"), (1 << 20, "1MiB"), (3 << 29, "1536MiB"), (1000, "1000 bytes"), (0, "0 bytes")]
        {
            assert_eq!(exact_bytes(bytes), text);
        }
        assert_eq!(
            [1500.0, 12_345.0, 100.0, 2048.0, 10_200.0].map(rounded_bytes),
            ["1.5 KiB", "12 KiB", "100 bytes", "2 KiB", "10 KiB"]
        );
    }
}
