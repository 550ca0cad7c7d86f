//! The files of a model's folder, each of them a stranger's beside good ones, through to a forward pass.

use fairbits::{
    arch::{
        batch::Batch,
        forward::forward,
        load::{Opened, describe, look_through, open},
    },
    backend::cpu::Cpu,
    model::{
        source::Memory,
        tokenizer::{Besides, Guarded, Reader, Tokenizer},
    },
};
use pollster::block_on;
use serde_json::Value;

/// A tiny model: its configuration and its weights.
type Tiny = (&'static str, &'static [u8]);

macro_rules! tiny {
    ($($name:literal),* $(,)?) => {
        [$((
            include_str!(concat!("../../tests/fixtures/", $name, "/config.json")),
            include_bytes!(concat!("../../tests/fixtures/", $name, "/model.safetensors")).as_slice(),
        )),*]
    };
}

/// One of each family.
pub const TINY: [Tiny; 11] = tiny![
    "gpt2-tiny",
    "bloom-tiny",
    "xglm-tiny",
    "opt-tiny",
    "gpt_neox-tiny",
    "llama-tiny",
    "qwen2-tiny",
    "gemma3_text-tiny",
    "xlm-roberta-tiny",
    "mt5-tiny",
    "mamba-tiny",
];
/// Longer than the windows of most of them, so that a text is cut.
const TOKENS: usize = 30;
/// A file comes in pieces, which end anywhere.
const PIECE: usize = 10_007;

/// Texts with what tokenizers treat apart: nothing, one letter without end, spaces, ligatures, accents, digits, controls.
pub fn texts() -> [String; 4] {
    let mixed = "<s> ab  ﬁne™ \u{1E}ﷺ é e\u{301} 漢字 123-45 (x)\n\t's \u{0} 👩‍👩‍👧 ".to_string();
    ["".into(), "a".repeat(4096), " ".repeat(600), mixed.repeat(20)]
}

/// `tokenizer.json`: reads it, cuts texts with it, and runs the tokens of the last. In this thread and without a guard, which would
/// hide what breaks.
pub fn tokenizer(bytes: &[u8]) -> Result<(), String> {
    let settings = br#"{"add_bos_token": true, "bos_token": "<s>"}"#;
    let (config, weights) = TINY[0];
    let files = Memory::new([
        ("config.json", config.as_bytes()),
        ("model.safetensors", weights),
        ("tokenizer.json", bytes),
        ("tokenizer_config.json", settings),
    ]);
    let here = Reader::by(|files| Box::pin(async move { Tokenizer::parse_files(&files).map(Guarded::from) }));
    let opening = async { describe(Cpu, &files, &here).await?.open(&files, "tiny", &mut ()).await };
    let opened = block_on(opening).map_err(|fault| fault.to_string())?;
    let tokenizer = opened.tokenizer.as_ref().expect("the folder has one");
    let mut ids = Vec::new();
    for besides in [Besides::Pieces, Besides::Begins] {
        let mut cut = block_on(tokenizer.cut(texts().to_vec(), besides)).map_err(|fault| fault.to_string())?;
        ids = cut.pop().map(|last| last.ids).unwrap_or_default();
    }
    let tokens: Vec<u32> = tokenizer.text_start().into_iter().chain(ids).take(TOKENS).collect();
    run(&opened, &tokens)
}

/// `config.json`: beside the weights of its own family, where there is such a family.
pub fn config(bytes: &[u8]) -> Result<(), String> {
    let family = |text: &[u8]| serde_json::from_slice::<Value>(text).ok().map(|config| config["model_type"].clone());
    let own = family(bytes)
        .and_then(|wanted| TINY.iter().find(|(known, _)| family(known.as_bytes()).as_ref() == Some(&wanted)));
    let (_, weights) = own.unwrap_or(&TINY[0]);
    let files = Memory::new([("config.json", bytes), ("model.safetensors", *weights)]);
    let opened = block_on(open(Cpu, &files, "tiny", &mut ())).map_err(|fault| fault.to_string())?;
    run(&opened, &counted(&opened))
}

/// `model.safetensors`: held, and looked through, which reads it in other ways.
pub fn checkpoint(bytes: &[u8]) -> Result<(), String> {
    let files = Memory::new([("config.json", TINY[0].0.as_bytes()), ("model.safetensors", bytes)]).in_chunks_of(PIECE);
    let held = block_on(open(Cpu, &files, "tiny", &mut ())).map_err(|fault| fault.to_string());
    let looked = block_on(look_through(Cpu, &files, "tiny", &mut ())).map_err(|fault| fault.to_string());
    assert_eq!(held.as_ref().err(), looked.as_ref().err(), "what is refused is refused either way");
    let (held, looked) = (held?, looked?);
    let tokens = counted(&held);
    run(&held, &tokens)?;
    run(&looked, &tokens)
}

/// Every token in turn, as often as it takes.
fn counted(model: &Opened<Cpu>) -> Vec<u32> {
    (0..model.device.spec.vocabulary as u32).cycle().take(TOKENS).collect()
}

fn run(model: &Opened<Cpu>, tokens: &[u32]) -> Result<(), String> {
    let (device, mut batch) = (&model.device, Batch::default());
    batch.push_text(tokens, &device.spec.scoring, device.spec.context);
    let losses = block_on(forward(&device.backend, &device.spec, device.full(), &batch, &mut (), &async || ()))
        .map_err(|fault| fault.to_string())?;
    assert_eq!(losses.len(), batch.scored.len(), "a loss for each scored row");
    Ok(())
}
