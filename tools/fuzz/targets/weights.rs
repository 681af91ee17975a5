//! Weights files of networks: any bytes, or a sound file with damage; a file that loads evaluates a position.
//!
//! The first byte chooses between the two; a bit of the second corrects the checksum.

#![no_main]

use libfuzzer_sys::fuzz_target;
use std::sync::Arc;
use tewari::go::Symmetry;
use tewari::go::{Komi, Position, Rules, Size};
use tewari::network::{Evaluator, InputPosition, Network};
use tewari_fuzz::damage::Damage;
use tewari_fuzz::fnv;

const SOUND: &[u8] = include_bytes!("../../../tests/data/network/weights.bin");

fuzz_target!(|data: &[u8]| {
    let [kind, flags, rest @ ..] = data else { return };
    let mut bytes = rest.to_vec();
    if kind & 3 != 0 {
        bytes = SOUND.to_vec();
        // The header of 64 bytes, then the layers.
        Damage::read(rest, bytes.len(), kind & 3 == 3).apply(&mut bytes, &[0, 8]);
    }
    if flags & 1 != 0 && bytes.len() >= 64 {
        bytes[40..48].fill(0);
        let sum = fnv(bytes.iter().copied());
        bytes[40..48].copy_from_slice(&sum.to_le_bytes());
    }
    let network = match Network::load(&bytes) {
        Ok(network) => Arc::new(network),
        Err(error) => return assert!(!error.to_string().contains('\n'), "not one line: {error}"),
    };
    let size = Size::new(4, 3).expect("a size");
    let position = Position::new(size, Rules::CHINESE, Komi(13));
    let mut evaluator = Evaluator::new(Arc::clone(&network), size);
    let symmetry = Symmetry::from_number(u64::from(*flags), size);
    let evaluation = evaluator.evaluate(&InputPosition::of(&position), symmetry);
    let mut chances = vec![0; size.points() + 1];
    evaluation.move_probabilities(|_| true, &mut chances);
    if let Some(score) = evaluation.score {
        assert!((0.0..=1.0).contains(&score.win_rate(13).as_f64()) && score.lead(0).is_finite());
    }
});
