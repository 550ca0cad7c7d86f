"""What `cargo xtask bench` is compared with on the Gateway page: a plain PyTorch loop over every protection set of three layers.

    python -m venv venv && venv/bin/pip install torch transformers tokenizers
    venv/bin/python benches/gateway_loop.py [--sets N] [--threads N]

Loads the default model with Hugging Face transformers. For each of the 220 sets of three layers it puts the blocks outside of
the set on a grid of three bits up to the largest weight of each matrix, runs the first four articles in 14 languages, and
takes D(λ). Prints the time. With all sets it writes tests/fixtures/gateway.json: the SHA-256 of what was read, and D for each
set and language. Nothing of Fairbits is used.
"""

import argparse
import hashlib
import itertools
import json
import math
import pathlib
import time

import torch
from tokenizers import Tokenizer
from transformers import GPT2LMHeadModel

ROOT = pathlib.Path(__file__).resolve().parent.parent
LANGUAGES = ["eng", "fra", "deu", "vie", "rus", "zho", "tur", "fin", "kor", "heb", "tha", "hin", "jpn", "ara"]
UNITS, BITS, SIZE = 4, 3, 3
PARTS = ["attn.c_attn", "attn.c_proj", "mlp.c_fc", "mlp.c_proj"]
read = {}


def contents(path):
    data = path.read_bytes()
    read[str(path.relative_to(ROOT))] = hashlib.sha256(data).hexdigest()
    return data


def rounded(values):
    levels = torch.tensor(2 ** (BITS - 1) - 1, dtype=torch.float32)
    alpha = values.abs().max()
    return torch.round(values * (levels / alpha)) * (alpha / levels)


def nats(model, text):
    """Loss of a text: windows of one token less than the context, each from its own first token."""
    step, total = model.config.n_positions - 1, 0.0
    for first in range(0, len(text) - 1, step):
        window = torch.tensor([text[first : first + step + 1]])
        total += model(window, labels=window).loss.item() * (window.shape[1] - 1)
    return total


@torch.inference_mode()
def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--sets", type=int, help="only so many sets, evenly spread; writes nothing")
    arguments.add_argument("--threads", type=int, default=2)
    arguments = arguments.parse_args()
    some, threads = arguments.sets, arguments.threads
    torch.set_num_threads(threads)
    folder = ROOT / "public/models" / json.loads((ROOT / "public/models/catalog.json").read_bytes())["default"]
    contents(folder / "model.safetensors")
    model = GPT2LMHeadModel.from_pretrained(folder, dtype=torch.float32).eval()
    tokenizer = Tokenizer.from_str(contents(folder / "tokenizer.json").decode())
    start, texts = json.loads(contents(folder / "config.json"))["bos_token_id"], []
    for code in LANGUAGES:
        units = json.loads(contents(ROOT / f"public/corpora/udhr/{code}.json"))["units"][:UNITS]
        texts.append([[start] + tokenizer.encode(unit, add_special_tokens=False).ids for unit in units])
    scored = [sum(len(text) - 1 for text in units) for units in texts]

    blocks = [[block.get_submodule(part).weight for part in PARTS] for block in model.transformer.h]
    full = [[weight.clone() for weight in block] for block in blocks]
    coarse = [[rounded(weight) for weight in block] for block in full]

    def losses(protected):
        for layer, block in enumerate(blocks):
            for weight, values in zip(block, (full if layer in protected else coarse)[layer]):
                weight.copy_(values)
        return [sum(nats(model, text) for text in units) for units in texts]

    before = losses(range(len(blocks)))
    sets = list(itertools.combinations(range(len(blocks)), SIZE))
    shown = sets[:: len(sets) // some] if some else sets
    began, rows = time.monotonic(), []
    for number, protected in enumerate(shown):
        after = losses(protected)
        rows.append([float(f"{math.exp((a - b) / n) - 1:.9g}") for a, b, n in zip(after, before, scored)])
        print(f"\r{number + 1} of {len(shown)}", end="", flush=True)
    seconds = time.monotonic() - began
    print(f"\n{len(shown)} sets in {seconds:.1f} s, {seconds / len(shown) * len(sets):.1f} s for all, {threads} threads")
    if not some:
        out = {"files": read, "languages": LANGUAGES, "units": UNITS, "bits": BITS, "sets": sets, "degradation": rows}
        (ROOT / "tests/fixtures/gateway.json").write_text(json.dumps(out) + "\n")


if __name__ == "__main__":
    main()
