"""The baseline: an order-5 byte n-gram model of a mix, interpolated (Witten-Bell), in bits per byte.

P(b | h) = (c(h b) + T(h) P(b | h')) / (c(h) + T(h)), where T(h) is the number of distinct bytes seen
after h, h' is h without its first byte, and below the empty context all 256 bytes are equal.
It reads the very documents the models read, repeats included, with a zero byte before each; a unit
of evaluation text also starts after a zero byte, and its first bytes have shorter contexts.
"""

import sys

import numpy as np

from places import CACHE, CORPORA, TRAINED, read_json, write_json

ORDER = 5


def stream(texts):
    """All texts as one array of bytes, each after a zero byte."""
    return np.frombuffer(b"".join(b"\0" + text.encode() for text in texts), dtype=np.uint8)


def packed(data, length):
    """The n-gram that ends at each position, as one integer: (len(data) - length + 1,)."""
    keys = np.zeros(len(data) - length + 1, dtype=np.uint64)
    for i in range(length):
        keys = (keys << np.uint64(8)) | data[i:len(data) - length + 1 + i].astype(np.uint64)
    return keys


class Counts:
    """How often each n-gram of one length occurs, and each of its contexts."""

    def __init__(self, data, length):
        keys = packed(data, length)
        keys.sort()
        edges = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
        self.keys, self.counts = keys[edges], np.diff(np.append(edges, len(keys)))
        contexts = self.keys >> np.uint64(8)
        first = np.flatnonzero(np.concatenate(([True], contexts[1:] != contexts[:-1])))
        self.contexts = contexts[first]
        self.distinct = np.diff(np.append(first, len(contexts)))
        self.totals = np.add.reduceat(self.counts, first)

    @staticmethod
    def look_up(keys, values, wanted):
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, values[at], 0)

    def interpolate(self, grams, lower):
        """P of the last byte of each n-gram, given P under the shorter context."""
        contexts = grams >> np.uint64(8)
        total = self.look_up(self.contexts, self.totals, contexts)
        distinct = self.look_up(self.contexts, self.distinct, contexts)
        count = self.look_up(self.keys, self.counts, grams)
        seen = total > 0
        return np.where(seen, (count + distinct * lower) / np.where(seen, total + distinct, 1), lower)


def bits(tables, unit):
    """Bits the model needs for one unit of text."""
    data = stream([unit])
    probability = np.full(len(data) - 1, 1 / 256)  # of data[1:]
    for length, table in enumerate(tables, start=1):
        grams = packed(data, length)
        if length == 1:
            grams = grams[1:]  # the zero byte itself is given
        reach = len(grams)  # the last `reach` bytes have a context this long
        if reach > 0:
            probability[-reach:] = table.interpolate(grams, probability[-reach:])
    return -np.log2(probability).sum()


def main(mix):
    target = CACHE / "ngram" / f"{mix}.json"
    if target.exists():
        return
    data = stream(text for _, text in read_json(CACHE / "mix" / f"{mix}.json"))
    tables = [Counts(data, length) for length in range(1, ORDER + 1)]
    result = {}
    for row in TRAINED:
        units = read_json(CORPORA / "help" / f"{row['code']}.json")["units"]
        result[row["code"]] = sum(bits(tables, unit) for unit in units) / sum(len(unit.encode()) for unit in units)
    write_json(target, result)
    print(mix, {code: round(float(value), 3) for code, value in result.items()})


if __name__ == "__main__":
    main(sys.argv[1])
