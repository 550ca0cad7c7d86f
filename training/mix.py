"""Make the training mixes: two lists of documents (skewed, balanced), two tokenizers, four token arrays.

A document is a run of one to six consecutive paragraphs of a page, drawn anew for every pass over
a language, so that the models see both single paragraphs and longer text. Documents are separated
by <|endoftext|>. Every mix has the same number of bytes; within a mix each language is spread
evenly over the whole run. Documents and their order are the same for both tokenizers.
"""

import random

import numpy as np
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from places import CACHE, MODELS, TRAINED, read_json, write_atomically, write_json

BYTES = 48_000_000  # per model: the least tokenized of the four mixes still has over 15M tokens
VOCABULARY = 4096
END = "<|endoftext|>"
LONGEST_RUN = 6
SEED = 20261116
MIXES = ("skewed", "balanced")
# Zipf-Mandelbrot, share ~ (rank + OFFSET) ** -POWER: the 18th language gets 2.5% of English. The
# offset flattens the head, so that English need not repeat its text more often than it must.
OFFSET, POWER = 2.0, 1.94


def shares(mix):
    weights = {row["code"]: (row["rank"] + OFFSET) ** -POWER if mix == "skewed" else 1.0 for row in TRAINED}
    total = sum(weights.values())
    return {code: weight / total for code, weight in weights.items()}


def runs(table, rng):
    """One pass over a language: its pages cut in runs of consecutive paragraphs, shuffled."""
    pages = {}
    for key, text in table.items():
        pages.setdefault(key.split("#")[0], []).append(text)
    documents = []
    for texts in pages.values():
        start = 0
        while start < len(texts):
            length = rng.randint(1, LONGEST_RUN)
            documents.append("\n".join(texts[start:start + length]))
            start += length
    rng.shuffle(documents)
    return documents


def documents_of(code, budget, rng):
    """Documents of one language, pass after pass, until their bytes reach the budget."""
    table = read_json(CACHE / "train" / f"{code}.json")
    chosen, size = [], 0
    while size < budget:
        for document in runs(table, rng):
            chosen.append(document)
            size += len(document.encode())
            if size >= budget:
                break
    unique = sum(len(text.encode()) for text in table.values())
    return chosen, size, unique


def make_mix(mix):
    placed, account = [], {}
    for row in TRAINED:
        code = row["code"]
        rng = random.Random(f"{SEED} {mix} {code}")
        chosen, size, unique = documents_of(code, BYTES * shares(mix)[code], rng)
        # Document i of n lands near i/n of the run: every language is spread evenly.
        placed += [((i + rng.random()) / len(chosen), code, text) for i, text in enumerate(chosen)]
        account[code] = {"bytes_seen": size, "unique_bytes": unique, "epochs": round(size / unique, 3)}
    placed.sort()
    write_json(CACHE / "mix" / f"{mix}.account.json", account)
    write_json(CACHE / "mix" / f"{mix}.json", [[code, text] for _, code, text in placed], indent=0)


def shipped_tokenizer(mix):
    """The tokenizer of this mix that a finished model of the family has. Packages of the text change by a few bytes from
    one point release to the next, and models that share a tokenizer must share it to the byte."""
    for card in sorted(MODELS.glob("*/card.json")):
        known = read_json(card)
        if known.get("tokenizer") == mix and known.get("training", {}).get("complete"):
            return (card.parent / "tokenizer.json").read_bytes()
    return None


def train_tokenizer(mix):
    if shipped := shipped_tokenizer(mix):
        write_atomically(CACHE / "mix" / f"{mix}.tokenizer.json", shipped)
        return
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=[END], show_progress=False,
                                  initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    tokenizer.train_from_iterator((text for _, text in read_json(CACHE / "mix" / f"{mix}.json")), trainer)
    write_atomically(CACHE / "mix" / f"{mix}.tokenizer.json", tokenizer.to_str(pretty=False))


def pack(mix, vocabulary):
    """Token ids of a mix as u16, each document preceded by <|endoftext|> (id 0)."""
    tokenizer = Tokenizer.from_file(str(CACHE / "mix" / f"{vocabulary}.tokenizer.json"))
    documents = read_json(CACHE / "mix" / f"{mix}.json")
    counts = dict.fromkeys((row["code"] for row in TRAINED), 0)
    pieces = []
    for start in range(0, len(documents), 2000):
        batch = documents[start:start + 2000]
        for (code, _), encoding in zip(batch, tokenizer.encode_batch_fast([text for _, text in batch])):
            counts[code] += len(encoding.ids)
            pieces.append(np.array([0] + encoding.ids, dtype=np.uint16))
    tokens = np.concatenate(pieces)
    write_json(CACHE / "mix" / f"{mix}-{vocabulary}.tokens.json", counts)
    write_atomically(CACHE / "mix" / f"{mix}-{vocabulary}.u16", tokens.tobytes())
    print(f"{mix} data, {vocabulary} tokenizer: {len(tokens) / 1e6:.2f}M tokens", flush=True)


def main():
    (CACHE / "mix").mkdir(parents=True, exist_ok=True)
    for mix in MIXES:
        if not (CACHE / "mix" / f"{mix}.tokenizer.json").exists():
            make_mix(mix)
            train_tokenizer(mix)
    for mix in MIXES:
        for vocabulary in MIXES:
            if not (CACHE / "mix" / f"{mix}-{vocabulary}.u16").exists():
                pack(mix, vocabulary)


if __name__ == "__main__":
    main()
