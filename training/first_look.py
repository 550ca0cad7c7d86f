"""A first look, before there is a lab: D(language) at 2 to 8 bits for each shipped model.

`python first_look.py [model ...]`. Quantizes every matrix of every block, one scale per tensor, with
Q_a(x) = a * round(clip(x, -a, a) * L / a) / L, L = 2^(B-1) - 1, round half to even (DESIGN.md), where a is
the largest weight (absmax) or the best in mean squared error on the weights themselves (mse).
D = (PPL_q - PPL) / PPL, with a 95% interval from a paired bootstrap over units (percentiles).
"""

import hashlib
import sys

import numpy as np
import torch

from export import load
from gpt2 import measure
from places import CACHE, CORPORA, MODELS, TRAINED, read_json, write_json

BITS = range(2, 9)
RESAMPLES = 1000
SEED = 20261116


def quantize(weights, alpha, bits):
    levels = 2 ** (bits - 1) - 1
    return torch.round(weights.clamp(-alpha, alpha) * (levels / alpha)) * (alpha / levels)


def best_alpha(weights, bits):
    """Least squared error on the true grid: a coarse search, then a fine one around its best."""
    top = weights.abs().max().item()

    def error(share):
        return (quantize(weights, share * top, bits) - weights).square().sum().item()

    coarse = min(np.linspace(0.02, 1.0, 50), key=error)
    return top * min(np.clip(np.linspace(coarse - 0.02, coarse + 0.02, 41), 1e-3, 1.0), key=error)


def alpha_of(rule, weights, bits):
    return weights.abs().max().item() if rule == "absmax" else best_alpha(weights, bits)


def interval(nats, nats_quantized, counts):
    """D and its 95% interval: the same units are drawn for both models."""
    rng = np.random.default_rng(SEED)
    rows = rng.integers(0, len(counts), (RESAMPLES, len(counts)))
    change = np.asarray(nats_quantized) - np.asarray(nats)
    counts = np.asarray(counts)
    with np.errstate(over="ignore"):
        draws = np.expm1(change[rows].sum(1) / counts[rows].sum(1))
        return [float(np.expm1(change.sum() / counts.sum())), *map(float, np.percentile(draws, [2.5, 97.5]))]


def look(name, corpus):
    model, tokenizer = load(name)
    units = {row["code"]: read_json(CORPORA / corpus / f"{row['code']}.json")["units"] for row in TRAINED}
    full = {code: measure(model, tokenizer, texts) for code, texts in units.items()}
    matrices = [p for block in model.h for p in block.parameters() if p.dim() == 2]
    originals = [p.detach().clone() for p in matrices]
    result = {}
    for rule in ("absmax", "mse"):
        for bits in BITS:
            with torch.no_grad():
                for p, original in zip(matrices, originals):
                    p.copy_(quantize(original, alpha_of(rule, original, bits), bits))
            result[f"{rule} {bits}"] = {
                code: interval(full[code][0], measure(model, tokenizer, texts)[0], full[code][1])
                for code, texts in units.items()}
    return result


def show(name, corpus, result):
    print(f"\n{name} on {corpus}: D with 95% interval")
    for setting, row in result.items():
        cells = (f"{code} {d:.3f} [{low:.3f},{high:.3f}]" for code, (d, low, high) in row.items())
        print(f"{setting:9}", "  ".join(cells))


def main(names):
    torch.set_num_threads(1)
    for name in names or read_json(MODELS / "catalog.json")["models"]:
        digest = hashlib.sha256((MODELS / name / "model.safetensors").read_bytes()).hexdigest()[:12]
        for corpus in ("udhr", "help"):
            target = CACHE / "first_look" / f"{name}-{corpus}-{digest}.json"
            if not target.exists():
                write_json(target, look(name, corpus))
            show(name, corpus, read_json(target))


if __name__ == "__main__":
    main(sys.argv[1:])
