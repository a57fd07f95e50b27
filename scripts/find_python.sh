# Sourced by the scripts of this repository: sets `python` to a Python of 3.11 or later.
# Set PYTHON to choose one yourself.

python=
for candidate in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python; do
    if [ -n "$candidate" ] && "$candidate" -c \
        'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
if [ -z "$python" ]; then
    echo "Perdure needs Python 3.11 or later, and none was found (looked at \$PYTHON, python3, python3.11 and so on)." >&2
    exit 1
fi
