"""Export a run and write what is known about it: `python card.py skew-skew [run]`.

Without a second word the run of the same name is taken. A run that has not finished can be
exported too; its card says how far it is.
"""

import hashlib
import re
import sys

import torch

from evaluation import HELP_LICENCE
from export import check_against_transformers, export, load
from gpt2 import LAYERS, WIDTH, bits_per_byte, measure
from places import CACHE, CORPORA, LANGUAGES, MODELS, TRAINED, read_json, write_json
from train import BATCH, CONTEXT, MIX_OF, RECIPE, SEED, load_tokens

FAMILY = ["skew-skew", "skew-bal", "bal-skew", "bal-bal"]
DEFAULT = "skew-skew"
WORD_BREAK = re.compile(r"[\s፡]+")  # Amharic separates words with a mark of its own
DATA = {
    "skewed": "text shared out by a Zipf-like law, English first, the last of 18 languages about 2.5% of it",
    "balanced": "equal bytes of each of 18 languages",
}
LICENCE = ("MPL-2.0, the licence of all the text that the model was trained on, the LibreOffice help. Whether weights are "
           "derived from their training text is not settled; whoever keeps to that licence is on the safe side.")
PURPOSE = ("One of four models that differ only in the training mix and in the mix their tokenizer was trained on: "
           "together they make do(data) and do(tokenization) real interventions.")


def units_of(corpus, code):
    return read_json(CORPORA / corpus / f"{code}.json")["units"]


def excess_kurtosis(values):
    """Population excess kurtosis (Gaussian 0), in f64."""
    centred = values.double() - values.double().mean()
    return ((centred ** 4).mean() / (centred ** 2).mean() ** 2 - 3).item()


def kurtosis_per_layer(model):
    return [round(excess_kurtosis(torch.cat([p.detach().reshape(-1) for p in block.parameters() if p.dim() == 2])), 4)
            for block in model.h]


def fertility(row, counts, units):
    text = " ".join(units)
    words = len([word for word in WORD_BREAK.split(text) if word]) if row["words"] else None
    return {"tokens_per_byte": round(sum(counts) / sum(len(unit.encode()) for unit in units), 5),
            "tokens_per_word": round(sum(counts) / words, 4) if words else None}


def language_entry(row, model, tokenizer, account, tokens, ngram, seen):
    """What the model saw of a language and how well it knows it; `seen` is the share of the run done."""
    code = row["code"]
    units = units_of("udhr", code)
    nats, counts = measure(model, tokenizer, units)
    entry = {"bytes_seen": 0, "tokens_seen": 0, "fertility": fertility(row, counts, units),
             "udhr_bpb": round(bits_per_byte(nats, units), 5)}
    if code not in account:
        return entry
    held_out = units_of("help", code)
    return entry | {
        "bytes_seen": round(account[code]["bytes_seen"] * seen), "unique_bytes": account[code]["unique_bytes"],
        "tokens_seen": round(tokens[code] * seen), "epochs": round(account[code]["epochs"] * seen, 3),
        "help_bpb": round(bits_per_byte(measure(model, tokenizer, held_out)[0], held_out), 5),
        "ngram5_bpb": round(ngram[code], 5),
    }


def describe(name, run):
    data, vocabulary = (MIX_OF[part] for part in name.split("-"))
    state = torch.load(CACHE / "runs" / run / "checkpoint.pt", weights_only=True)
    export(name, state["model"], vocabulary)
    model, tokenizer = load(name)
    check_against_transformers(name, units_of("udhr", "eng")[0])
    account = read_json(CACHE / "mix" / f"{data}.account.json")
    tokens = read_json(CACHE / "mix" / f"{data}-{vocabulary}.tokens.json")
    ngram = read_json(CACHE / "ngram" / f"{data}.json")
    steps = (len(load_tokens(name)) - 1) // (BATCH * CONTEXT)
    seen = state["step"] / steps
    whole = state["step"] == steps
    recent = state["history"][-100:]
    languages = {row["code"]: language_entry(row, model, tokenizer, account, tokens, ngram, seen) for row in LANGUAGES}
    folder = MODELS / name
    return {
        "name": name, "title": f"{data.capitalize()} data, {vocabulary} tokenizer",
        "description": f"{PURPOSE} This one: {DATA[data]}; tokenizer trained on the {vocabulary} mix."
                       + ("" if whole else f" Interim: {seen:.0%} of its training; training continues. Bytes and tokens per "
                                                "language are that share of the whole run, over which languages are spread evenly."),
        "data": data, "tokenizer": vocabulary,
        "parameters": sum(p.numel() for p in model.parameters()), "layers": LAYERS, "width": WIDTH, "seed": SEED,
        "recipe": RECIPE | {"steps_planned": steps},
        "training": {"complete": whole, "bytes": sum(entry["bytes_seen"] for entry in languages.values()),
                     "tokens": state["step"] * BATCH * CONTEXT, "steps": state["step"],
                     "seconds": round(state["seconds"]), "final_loss": round(sum(recent) / len(recent), 4),
                     "machine": "2 shared CPU cores (AVX2), niced; seconds are wall time"},
        "measured_on": "f16 weights computed in f32; fertility and udhr_bpb on the udhr corpus, help_bpb and ngram5_bpb "
                       "on the help corpus; ngram5 is an interpolated order-5 byte n-gram model of the same mix",
        "languages": languages, "kurtosis": kurtosis_per_layer(model),
        "licence": LICENCE, "text_licences": [f"LibreOffice help, {HELP_LICENCE}"],
        "files": {file: hashlib.sha256((folder / file).read_bytes()).hexdigest()
                  for file in ("config.json", "tokenizer.json", "model.safetensors")},
    }


def main(name, run):
    torch.set_num_threads(1)
    card = describe(name, run)
    write_json(MODELS / name / "card.json", card)
    present = [model for model in FAMILY if (MODELS / model / "card.json").exists()]
    write_json(MODELS / "catalog.json", {"default": DEFAULT, "models": present})
    print(f"{name}: step {card['training']['steps']}, loss {card['training']['final_loss']}, kurtosis {card['kurtosis']}")
    for row in TRAINED:
        entry = card["languages"][row["code"]]
        print(f"  {row['code']} {entry['bytes_seen'] / 1e6:6.2f} MB  help {entry['help_bpb']:.3f}  "
              f"5-gram {entry['ngram5_bpb']:.3f}  udhr {entry['udhr_bpb']:.3f}")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[-1])
