#!/bin/sh
# Installs cfe_local from this folder, without any index or network, into .venv beside this file; then verifies everything.
# PYTHON=/path/to/python3.11 sh install.sh
set -eu
cd "$(dirname "$0")"
wanted=@PYTHON@
python=${PYTHON:-python$wanted}
found=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || found=missing
[ "$found" = "$wanted" ] || { echo "install.sh: the wheels are for Python $wanted, $python is $found. Set PYTHON." >&2; exit 2; }
echo "verifying $(wc -l < SHA256SUMS) files"
sha256sum --check --quiet SHA256SUMS || { echo "install.sh: the bundle is not whole. Copy the files named above again." >&2; exit 2; }
[ -x .venv/bin/python ] || "$python" -m venv .venv
pip() { .venv/bin/python -m pip --isolated --disable-pip-version-check --quiet "$@"; }
echo "installing"
pip install --no-index --find-links wheels --no-deps --require-hashes --only-binary :all: -r requirements.txt
pip install --no-index --no-deps --force-reinstall wheels/cfe_local-*.whl
.venv/bin/cfe-local bundle verify .
echo "ready. In this folder, for example: .venv/bin/cfe-local doctor @CONFIG@ && .venv/bin/cfe-local run @CONFIG@"
