"""Cuts fonts down to the characters of the shipped texts, for devices without a font for their scripts.

    python public/fonts.py        # fonttools and brotli from PyPI, fonts-noto-core and fonts-noto-cjk from Debian

Writes public/fonts/*.woff2, and tests/fixtures/fonts.json with what each of them holds, read back from the file.
"""

import hashlib
import json
import pathlib
import subprocess
import sys

from fontTools.ttLib import TTFont

HERE = pathlib.Path(__file__).parent
FONTS = pathlib.Path("/usr/share/fonts")
NOTO = FONTS / "truetype/noto"
CJK = FONTS / "opentype/noto/NotoSansCJK-Regular.ttc"
# Name, font, number in a collection, and the blocks that it is for, as public/styles/fonts.css has them.
SCRIPTS = [
    ("bengali", NOTO / "NotoSansBengali-Regular.ttf", None, [(0x0980, 0x09FF)]),
    ("cjk", CJK, 2, [(0x2E80, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF), (0xFF00, 0xFFEF)]),
    ("devanagari", NOTO / "NotoSansDevanagari-Regular.ttf", None, [(0x0900, 0x097F)]),
    ("ethiopic", NOTO / "NotoSansEthiopic-Regular.ttf", None, [(0x1200, 0x139F)]),
    ("georgian", NOTO / "NotoSansGeorgian-Regular.ttf", None, [(0x10A0, 0x10FF)]),
    ("khmer", NOTO / "NotoSansKhmer-Regular.ttf", None, [(0x1780, 0x17FF)]),
    ("tamil", NOTO / "NotoSansTamil-Regular.ttf", None, [(0x0B80, 0x0BFF)]),
    ("thai", NOTO / "NotoSansThai-Regular.ttf", None, [(0x0E00, 0x0E7F)]),
    ("tibetan", NOTO / "NotoSerifTibetan-Regular.ttf", None, [(0x0F00, 0x0FFF)]),
]
# Space, the circle under a mark that stands alone, and what joins letters.
ALSO = [0x20, 0x25CC, 0x200C, 0x200D]


def main():
    texts = "".join(path.read_text("utf-8") for path in sorted(HERE.glob("corpora/*/*.json")))
    held = {}
    for name, font, number, blocks in SCRIPTS:
        own = sorted({ord(letter) for letter in texts if any(a <= ord(letter) <= b for a, b in blocks)})
        out = HERE / "fonts" / f"{name}.woff2"
        features = "" if number is not None else "*"
        command = [sys.executable, "-m", "fontTools.subset", str(font), f"--output-file={out}", "--flavor=woff2", "--no-hinting"]
        # Copyright and licence stay in the file, as the licence (OFL 1.1) asks.
        command += ["--name-IDs=0,1,2,3,4,5,6,13,14"]
        command += [f"--unicodes={','.join(f'{code:X}' for code in own + ALSO)}", f"--layout-features={features}"]
        subprocess.check_call(command + ([] if number is None else [f"--font-number={number}", "--desubroutinize"]))
        letters = "".join(chr(code) for code in sorted(TTFont(out).getBestCmap()) if code not in ALSO)
        held[out.name] = {"sha256": hashlib.sha256(out.read_bytes()).hexdigest(), "letters": letters}
        print(f"{out.name}: {len(letters)} characters, {out.stat().st_size} bytes")
    fixture = HERE.parent / "tests/fixtures/fonts.json"
    fixture.write_text(json.dumps(held, ensure_ascii=False, indent=1) + "\n", "utf-8")


main()
