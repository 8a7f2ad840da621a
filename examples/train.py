#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Trains a small transformer that writes text letter by letter: something real to profile.

    python3 examples/train.py --steps 100
    LD_PRELOAD=build/release/libmemtrace.so python3 examples/train.py

PyTorch trains the model if this Python has it. Otherwise NumPy trains the same model, more slowly;
without either nothing is trained. Equal seeds give equal losses on the same machine and versions,
or nearly: on a busy machine PyTorch may round differently, and late losses amplify the difference.
"""

import argparse
import sys
import time

import corpus


def parse_arguments(words=None):
    """Parses `words`, or the arguments of this process if they are None."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--steps", type=int, default=150, help="optimiser steps (default: 150)")
    parser.add_argument("--seed", type=int, default=1, help="of text, weights and batches")
    parser.add_argument("--batch", type=int, default=16, help="texts in a batch (default: 16)")
    parser.add_argument("--context", type=int, default=64, help="letters in a text (default: 64)")
    parser.add_argument("--width", type=int, default=96, help="of the model (default: 96)")
    parser.add_argument("--layers", type=int, default=2, help="of the model (default: 2)")
    parser.add_argument("--heads", type=int, default=4, help="of the attention (default: 4)")
    parser.add_argument("--rate", type=float, default=3e-3, help="learning rate (default: 0.003)")
    parser.add_argument("--num-workers", type=int, default=0,
                        help="processes of the PyTorch data loader (default: 0, load in place)")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, ... (PyTorch only)")
    parser.add_argument("--backend", choices=["auto", "torch", "numpy"], default="auto")
    arguments = parser.parse_args(words)
    if arguments.width % arguments.heads:
        parser.error("--width must be a multiple of --heads")
    if min(arguments.steps, arguments.batch, arguments.context, arguments.layers) < 1:
        parser.error("--steps, --batch, --context and --layers must be at least 1")
    return arguments


def load_backend(wanted):
    """Returns (the module that trains, its description), or (None, why there is none)."""
    reasons = []
    if wanted in ("auto", "torch"):
        try:
            import lm_torch
            return lm_torch, f"PyTorch {lm_torch.version()}"
        except ImportError as error:
            reasons.append(f"PyTorch cannot be imported ({error})")
    if wanted in ("auto", "numpy"):
        try:
            import lm_numpy
            because = f"; {reasons[0]}" if reasons else ""
            return lm_numpy, f"NumPy {lm_numpy.version()}{because}"
        except ImportError as error:
            reasons.append(f"NumPy cannot be imported ({error})")
    return None, ", and ".join(reasons)


def main():
    arguments = parse_arguments()
    backend, about = load_backend(arguments.backend)
    if backend is None:
        print(f"train.py has nothing to train with: {about}. "
              f"`{sys.executable} -m pip install torch` would do.", file=sys.stderr)
        return 1
    print(f"training with {about}", flush=True)

    characters = corpus.Characters(corpus.make_text(arguments.seed))
    start = time.perf_counter()
    first = last = None
    every = max(1, arguments.steps // 10)
    trainer = backend.Trainer(characters, arguments)
    for step, loss in enumerate(trainer.losses(), start=1):
        first = loss if first is None else first
        last = loss
        if step == 1 or step % every == 0 or step == arguments.steps:
            print(f"step {step:5d} of {arguments.steps}  loss {loss:.4f}", flush=True)
    seconds = time.perf_counter() - start
    sample = trainer.write("the ", length=60)
    print(f"loss {first:.4f} -> {last:.4f} in {seconds:.2f} s; the model writes: {sample}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
