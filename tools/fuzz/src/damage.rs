//! Damage to a file of 64-bit words, as an input describes it.

/// The changes of a file, read from the bytes of an input.
pub struct Damage<'d> {
    patches: &'d [[u8; PATCH_BYTES]],
    /// Length of the damaged file in bytes; `None` keeps the length.
    length: Option<usize>,
}

/// Bytes of a patch: area, operation, index of a word, value.
const PATCH_BYTES: usize = 12;
const MOST_PATCHES: usize = 24;

impl<'d> Damage<'d> {
    /// Reads the changes. If `changes_length`, the first two bytes are the difference to the file's length `bytes`.
    #[must_use]
    pub fn read(data: &'d [u8], bytes: usize, changes_length: bool) -> Damage<'d> {
        let (length, rest) = match data.split_first_chunk() {
            Some((&difference, rest)) if changes_length => {
                (Some(bytes.saturating_add_signed(i16::from_le_bytes(difference).into())), rest)
            }
            _ => (None, data),
        };
        let patches = rest.as_chunks().0;
        Damage { patches: &patches[..patches.len().min(MOST_PATCHES)], length }
    }

    /// Damages a file with areas that begin at these words, in ascending order from 0.
    pub fn apply(&self, file: &mut Vec<u8>, areas: &[usize]) {
        let mut words: Vec<u64> = file.as_chunks().0.iter().map(|&word| u64::from_le_bytes(word)).collect();
        for patch in self.patches {
            let start = areas[usize::from(patch[0]) % areas.len()];
            let end = areas.iter().copied().find(|&area| area > start).unwrap_or(words.len());
            let index = start + usize::from(u16::from_le_bytes([patch[2], patch[3]])) % (end - start);
            let value = u64::from_le_bytes(std::array::from_fn(|byte| patch[4 + byte]));
            words[index] = patched(&words, index, patch[1], value);
        }
        for (bytes, word) in file.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        if let Some(length) = self.length {
            file.resize(length, 0);
        }
    }
}

/// Returns the word at `index` after an operation.
fn patched(words: &[u64], index: usize, operation: u8, value: u64) -> u64 {
    let (before, shift) = (words[index], u32::from(operation >> 3));
    match operation & 7 {
        0 => value,
        1 => before ^ value,
        2 => before ^ 1 << (value % 64),
        3 => before.wrapping_add(value),
        // Another word of the file: keys, numbers of blocks, whole entries in the wrong place.
        4 => words[(value % words.len() as u64) as usize],
        // A field of 16 bits.
        5 => before & !(0xffff << shift) | (value & 0xffff) << shift,
        6 => u64::MAX << shift,
        _ => value >> (32 + shift),
    }
}
