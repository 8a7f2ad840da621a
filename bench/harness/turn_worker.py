# SPDX-License-Identifier: Apache-2.0
"""Trains the model of examples/train.py a few steps at a time, on request.

    turn_worker.py [OPTION OF train.py …] ORDERS ANSWERS

ORDERS and ANSWERS are named pipes. An order is a line with a number of steps. The answer is a line
with the seconds that the steps took, and the seconds of CPU time of this process. One step before
them is not counted, because it finds the caches as other processes left them. The worker ends at
the end of ORDERS.

A second number, 0 or 1, is for a shim with a switch (bench/workloads/recording_switch.cpp): 1 if
these steps must be recorded.
"""

import ctypes
import pathlib
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent.parent / "examples"))

import corpus  # noqa: E402
import lm_torch  # noqa: E402
import train  # noqa: E402

# More steps than are ever requested: the loader must last as long as the worker.
STEPS_MAX = 1_000_000


def main():
    *options, orders, answers = sys.argv[1:]
    model = train.parse_arguments([*options, f"--steps={STEPS_MAX}"])
    losses = lm_torch.Trainer(corpus.Characters(corpus.make_text(model.seed)), model).losses()
    with open(orders) as asked, open(answers, "w") as answered:
        for line in asked:
            steps, *is_recorded = map(int, line.split())
            if is_recorded:
                ctypes.CDLL(None).memtrace_switch(*is_recorded)
            next(losses)
            wall, cpu = time.perf_counter(), time.process_time()
            for _ in range(steps):
                next(losses)
            cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
            print(wall, cpu, file=answered, flush=True)


if __name__ == "__main__":
    main()
