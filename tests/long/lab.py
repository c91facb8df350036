# SPDX-License-Identifier: Apache-2.0
# What the scripts of this folder share: the program under test, one way to run it, one way to fail.
import argparse
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

# A shell's background jobs ignore it, and so would every program that they start.
signal.signal(signal.SIGINT, signal.default_int_handler)

TOP = pathlib.Path(__file__).resolve().parents[2]


def program():
    path = pathlib.Path(os.environ.get("FOLIOSCOPE_BIN") or TOP / "build/release/folioscope")
    if not os.access(path, os.X_OK):
        fail(f"no program at {path}; build it with ./quickstart, or name it in FOLIOSCOPE_BIN")
    return str(path)


def fail(what):
    print(f"{pathlib.Path(sys.argv[0]).name}: {what}", file=sys.stderr)
    sys.exit(1)


def arguments(purpose, budget, **more):
    parser = argparse.ArgumentParser(description=purpose)
    parser.add_argument("--budget", default=budget, help="wall time of each sweep (%(default)s)")
    parser.add_argument("--keep", metavar="FOLDER", help="leave the capsules there")
    for name, (default, help_text) in more.items():
        parser.add_argument(f"--{name}", type=int, default=default, help=f"{help_text} (%(default)s)")
    return parser.parse_args()


@contextlib.contextmanager
def folder(keep):
    if keep:
        pathlib.Path(keep).mkdir(parents=True, exist_ok=True)
        yield pathlib.Path(keep)
    else:
        with tempfile.TemporaryDirectory() as made:
            yield pathlib.Path(made)


def run(*words):
    """Standard output; anything but success ends the script with what the program said. Gives the seconds it took, too."""
    began = time.monotonic()
    done = subprocess.run([program(), *map(str, words)], capture_output=True, text=True)
    if done.returncode != 0:
        fail(f"folioscope {' '.join(map(str, words))} ended with {done.returncode}: {done.stderr.strip()[-2000:]}")
    return done.stdout, time.monotonic() - began


def sweep(out, *words):
    if pathlib.Path(out).exists():
        fail(f"{out} is there already; name an empty folder")
    return run("sweep", "--out", out, *words)


def explained(capsule):
    return json.loads(run("explain", "--json", capsule)[0])
