//! What is said of a model before it is downloaded: what it is, whether it fits here, and what would.

pub use crate::arch::preview::{How, Preview, Room};

use crate::report::{format, labels::with_step};
use crate::{
    lab::{AnalysisError, Config, Needs},
    model::files::Files,
};

/// What it is: `gpt2, 12 layers of 768 channels, 124,439,808 parameters in F32; 498 MB to download`.
pub fn told(preview: &Preview) -> String {
    let files = if preview.files > 1 { format!(" in {} files", preview.files) } else { String::new() };
    format!(
        "{}: {} of {} channels, {} parameters in {}; {}{files} to read.",
        preview.architecture,
        format::counted(preview.layers as u64, "layer"),
        format::count(preview.width as u64),
        format::count(preview.parameters),
        preview.types.join(" and "),
        format::bytes(preview.bytes),
    )
}

/// Whether it fits, and what would.
pub fn fit(preview: &Preview, room: &Room) -> String {
    let has = match room.memory {
        Some(memory) => format!("this device says that it has {}", format::bytes(memory)),
        None => "this browser does not say how much memory the device has".into(),
    };
    let (all, largest) = preview.needs(How::Whole, room.workers);
    let needs = format!(
        "To run texts it is held in f32 by {}, about {} together and at most {} in one of them; {has}, and a program in a \
         browser cannot address more than 4 GB",
        format::counted(room.workers as u64, "worker"),
        format::bytes(all),
        format::bytes(largest),
    );
    let comes = match preview.best(room) {
        Some(How::Whole) => "It fits.".to_string(),
        Some(How::Fewer(workers)) => {
            format!("It does not fit so, but it does with {}.", format::counted(workers as u64, "worker"))
        }
        Some(how @ How::Packed(workers)) => format!(
            "It does not fit so. What fits is to hold it packed, with {}, about {}: a run at 4 bits or fewer holds about an \
             eighth, and layers in full precision are read again for each batch of texts, so that few languages and texts are \
             best.",
            format::counted(workers as u64, "worker"),
            format::bytes(preview.needs(how, workers).0)
        ),
        Some(How::Weights) => format!(
            "It does not fit. What fits is to look through its weights, about {}: for the Weights page, and for Clipping \
             without languages.",
            format::bytes(preview.needs(How::Weights, 0).0)
        ),
        None => {
            "It does not fit, not even to look through its weights: a single layer is too large. Choose a smaller model."
                .to_string()
        }
    };
    format!("{needs}. {comes}")
}

/// What is so about a model that is held packed.
pub const PACKED: &str = "Of this model only what a run packs is held. Layers in full precision are read again for each batch of \
     texts: the figures are those of the whole model, and a run takes longer.";

/// Why a run on a model that is held packed cannot be.
pub fn no_room_for_packed(needed: u64, room: u64) -> String {
    format!(
        "At this width the packed weights take {} in each worker, and there is room for {}: choose 4 bits or fewer, or load the \
         model with fewer workers.",
        format::bytes(needed),
        format::bytes(room)
    )
}

/// What a model that was looked through can be asked.
pub const LOOKED_THROUGH: &str = "This model was looked through and is not held: the Weights page and Clipping without \
     languages can be run. Load it whole or packed to run texts.";

/// What is so about a model without tokenizer.json: the sentence that a run over texts would end with.
pub fn no_tokenizer() -> String {
    let fault = AnalysisError::NoTokenizer;
    with_step(&fault.to_string(), fault.what_to_do())
}

/// Why an analysis cannot be run on a model that was loaded like this from these files, as a sentence; none where it can.
pub fn refusal(config: &Config, how: How, files: &Files) -> Option<String> {
    match config.needs() {
        Needs::Nothing | Needs::Weights => None,
        Needs::Texts(_) if how == How::Weights => Some(LOOKED_THROUGH.into()),
        // The others bring their own models.
        Needs::Texts(_) if config.kind().has_model() && files.tokenizer_sha256.is_none() => Some(no_tokenizer()),
        Needs::Texts(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::settings::{Resampling, Texts};
    use crate::lab::{clipping, weights};
    use crate::math::quantizer::Bits;

    fn small() -> Preview {
        Preview {
            architecture: "gpt2".into(),
            layers: 12,
            width: 768,
            parameters: 124_439_808,
            bytes: 497_774_208,
            files: 2,
            types: vec!["BF16".into(), "F32".into()],
            largest_tensor: 154_389_504,
            largest_layer: 28_311_552,
            tokenizer: true,
        }
    }

    #[test]
    fn a_model_is_told_in_a_sentence() {
        assert_eq!(
            told(&small()),
            "gpt2: 12 layers of 768 channels, 124,439,808 parameters in BF16 and F32; 497.8 MB in 2 files to read."
        );
    }

    #[test]
    fn what_does_not_fit_is_said_with_what_does() {
        let fit = |gigabytes: Option<u64>, workers| {
            fit(&small(), &Room { memory: gigabytes.map(|gigabytes| gigabytes << 30), workers })
        };
        assert!(fit(None, 2).ends_with("It fits.") && fit(None, 2).contains("does not say how much memory"));
        assert!(fit(Some(4), 4).ends_with("It does not fit so, but it does with 3 workers."), "{}", fit(Some(4), 4));
        assert!(
            fit(Some(1), 4).contains("What fits is to look through its weights, about 152.0 MB"),
            "{}",
            fit(Some(1), 4)
        );
    }

    /// Law: what reads no text runs on any model; what does needs one that is held and has a tokenizer.
    #[test]
    fn a_run_over_texts_needs_a_tokenizer_and_a_model_that_is_held() {
        let clipping = |languages: &[&str]| {
            Config::from(clipping::Config {
                texts: Texts {
                    corpus: "udhr".into(),
                    languages: languages.iter().map(|code| code.to_string()).collect(),
                    units: 2,
                },
                draws: Resampling { resamples: 100, seed: 1 },
                bits: Bits::ALL[0],
                reference: "eng".into(),
                losses: false,
            })
        };
        let files = |tokenizer: Option<&str>| Files {
            model_sha256: "m".into(),
            config_sha256: None,
            tokenizer_sha256: tokenizer.map(String::from),
            tokenizer_config_sha256: None,
        };
        for how in [How::Whole, How::Packed(1), How::Weights] {
            for files in [files(None), files(Some("t"))] {
                assert_eq!(refusal(&weights::Config { threshold: 6.0 }.into(), how, &files), None);
                assert_eq!(refusal(&clipping(&[]), how, &files), None);
            }
        }
        let texts = clipping(&["eng"]);
        assert_eq!(refusal(&texts, How::Whole, &files(Some("t"))), None);
        assert_eq!(refusal(&texts, How::Weights, &files(Some("t"))).as_deref(), Some(LOOKED_THROUGH));
        let told = refusal(&texts, How::Whole, &files(None)).unwrap();
        assert!(told.starts_with("tokenizer.json: not found, so no text can be measured. Put"), "{told}");
    }

    /// One that no program in a browser can address is offered packed, with what that means.
    #[test]
    fn a_model_beyond_four_gigabytes_is_offered_packed() {
        let large =
            Preview { parameters: 1_100_048_384, largest_tensor: 262_144_000, largest_layer: 176_160_768, ..small() };
        let fit = fit(&large, &Room { memory: Some(8 << 30), workers: 4 });
        assert!(fit.contains("hold it packed, with 3 workers") && fit.contains("few languages and texts"), "{fit}");
        assert!(no_room_for_packed(2 << 30, 1 << 30).contains("choose 4 bits or fewer"));
    }
}
