#!/usr/bin/env bash
# Rebuild the corpora and the four models, from the package registries alone. Run it again after a
# stop of any kind: every step skips what it has done, and training resumes from its checkpoint.
# Needs apt-get, dpkg, npm, a C++ compiler (for torch.compile) and Python 3.11 or newer.
set -euo pipefail
cd "$(dirname "$0")"
export FAIRBITS_CACHE="${FAIRBITS_CACHE:-$HOME/.cache/fairbits/training}"
export TORCHINDUCTOR_CACHE_DIR="$FAIRBITS_CACHE/compiled" PYTHONDONTWRITEBYTECODE=1
venv="${FAIRBITS_VENV:-$HOME/.cache/fairbits/venv}"
python="$venv/bin/python"

if [ ! -x "$python" ]; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet -r requirements.txt
fi

nicely() { nice -n 19 "$python" "$@"; }

if [ ! -e "$FAIRBITS_CACHE/train/complete" ]; then
    nicely fetch.py
    nicely clean.py
    nicely evaluation.py
    touch "$FAIRBITS_CACHE/train/complete"
fi
nicely mix.py
for mix in skewed balanced; do
    nicely ngram.py "$mix"
done
for model in skew-skew bal-bal skew-bal bal-skew; do
    # A model that stands there trained to its end is not made again; delete its folder to have it so.
    grep -qs '"complete": true' "../public/models/$model/card.json" && continue
    nicely train.py "$model"
    nicely card.py "$model"
done
nicely first_look.py
