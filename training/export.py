"""Write a trained model as Hugging Face does (config.json, tokenizer.json, model.safetensors in f16)."""

import shutil

import torch
from safetensors.torch import load_file, save_file
from tokenizers import Tokenizer

from gpt2 import CONTEXT, END_ID, EPSILON, HEADS, LAYERS, VOCABULARY, WIDTH, Gpt2
from mix import END
from places import CACHE, MODELS, write_json

PREFIX = "transformer."
CONFIG = {
    "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"], "attn_pdrop": 0.0,
    "bos_token_id": END_ID, "dtype": "float16", "embd_pdrop": 0.0, "eos_token_id": END_ID,
    "initializer_range": 0.02, "layer_norm_epsilon": EPSILON, "model_type": "gpt2", "n_embd": WIDTH,
    "n_head": HEADS, "n_inner": None, "n_layer": LAYERS, "n_positions": CONTEXT,
    "reorder_and_upcast_attn": False, "resid_pdrop": 0.0, "scale_attn_by_inverse_layer_idx": False,
    "scale_attn_weights": True, "tie_word_embeddings": True, "use_cache": True, "vocab_size": VOCABULARY,
}
# Texts were separated by one token, so it stands before each of them.
TOKENIZER_CONFIG = {
    "add_bos_token": True, "bos_token": END, "eos_token": END, "model_max_length": CONTEXT,
    "tokenizer_class": "PreTrainedTokenizerFast",
}


def export(name, state, vocabulary):
    """state: the f32 tensors of training. The tied head is not stored twice."""
    folder = MODELS / name
    folder.mkdir(parents=True, exist_ok=True)
    tensors = {PREFIX + key: value.half().contiguous() for key, value in state.items()}
    save_file(tensors, folder / "model.safetensors.part", metadata={"format": "pt"})
    (folder / "model.safetensors.part").chmod(0o644)
    (folder / "model.safetensors.part").replace(folder / "model.safetensors")
    write_json(folder / "config.json", CONFIG)
    write_json(folder / "tokenizer_config.json", TOKENIZER_CONFIG)
    shutil.copyfile(CACHE / "mix" / f"{vocabulary}.tokenizer.json", folder / "tokenizer.json")


def load(name):
    """The shipped model: f16 weights, computed in f32."""
    tensors = load_file(MODELS / name / "model.safetensors")
    model = Gpt2()
    model.load_state_dict({key.removeprefix(PREFIX): value.float() for key, value in tensors.items()})
    return model.eval(), Tokenizer.from_file(str(MODELS / name / "tokenizer.json"))


def check_against_transformers(name, text, tolerance=1e-4):
    """The folder loads in transformers, with nothing missing, and gives the same loss."""
    from transformers import GPT2LMHeadModel

    theirs, report = GPT2LMHeadModel.from_pretrained(MODELS / name, dtype=torch.float32, output_loading_info=True)
    if report["missing_keys"] or report["unexpected_keys"]:
        raise SystemExit(f"{name}: transformers misses {report['missing_keys']}, does not know {report['unexpected_keys']}")
    model, tokenizer = load(name)
    ids = [END_ID] + tokenizer.encode(text).ids[:CONTEXT - 1]
    with torch.no_grad():
        expected = theirs(torch.tensor([ids]), labels=torch.tensor([ids])).loss.item()
        found = model(torch.tensor([ids[:-1]]), torch.tensor([ids[1:]])).mean().item()
    if abs(expected - found) > tolerance:
        raise SystemExit(f"{name}: transformers gives a loss of {expected}, we give {found}")
