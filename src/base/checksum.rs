//! Checksums of bytes.

/// Returns the 64-bit FNV-1a hash of the bytes.
pub fn fnv1a(bytes: impl Iterator<Item = u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source of the test vectors: Fowler, Noll, Vo et al., The FNV Non-Cryptographic Hash Algorithm, RFC 9923.
    #[test]
    fn hashes_are_those_of_the_published_test_vectors() {
        assert_eq!(fnv1a(b"".iter().copied()), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a(b"a".iter().copied()), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a(b"foobar".iter().copied()), 0x8594_4171_f739_67e8);
    }
}
