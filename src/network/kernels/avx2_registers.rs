//! Loads and stores of 256-bit registers, without alignment.

use std::arch::x86_64::*;

#[target_feature(enable = "avx2")]
#[inline]
pub(in crate::network) fn load_16_bytes(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: `bytes` has exactly the 16 bytes that are read.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(in crate::network) fn load_32_bytes(bytes: &[i8; 32]) -> __m256i {
    // SAFETY: `bytes` has exactly the 32 bytes that are read.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(in crate::network) fn load_i16(numbers: &[i16; 16]) -> __m256i {
    // SAFETY: `numbers` has exactly the 16 numbers of 16 bits that are read.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(in crate::network) fn load_i32(numbers: &[i32; 8]) -> __m256i {
    // SAFETY: `numbers` has exactly the 8 numbers of 32 bits that are read.
    unsafe { _mm256_loadu_si256(numbers.as_ptr().cast()) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(in crate::network) fn store_i16(into: &mut [i16; 16], register: __m256i) {
    // SAFETY: `into` has exactly the 16 numbers of 16 bits that are written.
    unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), register) }
}

#[target_feature(enable = "avx2")]
#[inline]
pub(in crate::network) fn store_i32(into: &mut [i32; 8], register: __m256i) {
    // SAFETY: `into` has exactly the 8 numbers of 32 bits that are written.
    unsafe { _mm256_storeu_si256(into.as_mut_ptr().cast(), register) }
}
