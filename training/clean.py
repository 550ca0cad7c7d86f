"""Take the paragraphs out of the help pages: {page#id: text} per language, NFC, no duplicates.

A paragraph has the same page and the same id in every language, which makes the text parallel.
Dropped: program code, what is left in English in a translation, lines too short to be prose,
and repeats (pages embed each other's paragraphs).
"""

import json
import re
import unicodedata
from concurrent.futures import ProcessPoolExecutor

from lxml import html

from places import CACHE, TRAINED, write_json

# Below this a line is a menu entry or a heading. CJK says the same in about a third of the characters.
SHORTEST = 30
SHORTEST_DENSE = 12
DENSE = {"jpn", "zho", "kor"}
# A translation that shares more than this with its English is left in English, wholly or mostly.
ENGLISH_WORDS = 0.5  # of its words, for Latin scripts
LATIN_LETTERS = 0.4  # of its letters, for the others: names of programs and functions stay Latin
# None of these is a frequent word in another language of the table.
FUNCTION_WORDS = {"the", "of", "and", "you", "with", "this", "that", "is", "are", "from", "click", "select"}
FEW = 3
WORD = re.compile(r"[^\W\d_]{2,}")
LATIN = re.compile(r"[A-Za-z]")
LETTER = re.compile(r"[^\W\d_]")
SPACE = re.compile(r"\s+")
# Typography that says nothing: U+2010 and U+2011 are hyphens; the soft hyphen and the zero-width
# space (Khmer word breaks, in some pages and not in others) are layout.
PLAIN = str.maketrans({"\u2010": "-", "\u2011": "-", "\u00ad": None, "\u200b": None, "\ufeff": None})


def normalise(text):
    return SPACE.sub(" ", unicodedata.normalize("NFC", text).translate(PLAIN)).strip()


def page_paragraphs(path, page):
    tree = html.fromstring(path.read_bytes(), parser=html.HTMLParser(encoding="utf-8"))
    for mac in tree.xpath("//*[contains(concat(' ', @class, ' '), ' MAC ')]"):
        mac.drop_tree()  # each switch says everything twice: once for macOS, once for the rest
    for node in tree.xpath("//p[@id] | //h1[@id] | //h2[@id] | //h3[@id] | //h4[@id]"):
        if any(parent.tag == "pre" for parent in node.iterancestors()):
            continue
        yield f"{page}#{node.get('id')}", normalise(node.text_content())


def extract(row):
    """All paragraphs of a language, untouched but for normalisation."""
    (root,) = (CACHE / "help" / row["code"]).glob("usr/share/libreoffice/help/*/text")
    found = {}
    for path in sorted(root.rglob("*.html")):
        page = str(path.relative_to(root).with_suffix(""))
        for key, text in page_paragraphs(path, page):
            found.setdefault(key, text)
    write_json(CACHE / "extract" / f"{row['code']}.json", found, indent=0)
    return row["code"], len(found)


def left_in_english(text, english, script):
    words = WORD.findall(text.lower())
    if sum(word in FUNCTION_WORDS for word in words) >= FEW:
        return True
    if script != "Latn":
        return len(LATIN.findall(text)) > LATIN_LETTERS * len(LETTER.findall(text))
    known = set(WORD.findall(english.lower()))
    return sum(word in known for word in words) > ENGLISH_WORDS * len(words)


def clean(row, found, english):
    shortest = SHORTEST_DENSE if row["code"] in DENSE else SHORTEST
    kept, seen = {}, set()
    for key, text in found.items():
        if len(text) < shortest or text in seen:
            continue
        if row["code"] != "eng" and left_in_english(text, english.get(key, ""), row["script"]):
            continue
        seen.add(text)
        kept[key] = text
    return kept


def read_extract(code):
    return json.loads((CACHE / "extract" / f"{code}.json").read_text("utf-8"))


def main():
    missing = [row for row in TRAINED if not (CACHE / "extract" / f"{row['code']}.json").exists()]
    with ProcessPoolExecutor(2) as pool:
        for code, count in pool.map(extract, missing):
            print(f"extract {code}: {count} paragraphs", flush=True)
    english = read_extract("eng")
    for row in TRAINED:
        code = row["code"]
        kept = clean(row, read_extract(code), english)
        write_json(CACHE / "clean" / f"{code}.json", kept, indent=0)
        size = sum(len(text.encode()) for text in kept.values())
        print(f"clean {code}: {len(kept)} paragraphs, {size / 1e6:.2f} MB", flush=True)


if __name__ == "__main__":
    main()
