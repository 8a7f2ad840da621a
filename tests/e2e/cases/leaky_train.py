"""The leaky training script: apart from imports, the lines that leak hold the most."""
# slow
import os
import re

from harness import SOURCE, expect, find_torch, report, require, trace

SCRIPT = os.path.join(SOURCE, "examples", "leaky_train.py")
# What one step leaves behind, by line: its text and the bytes of its tensors.
LEAKS = {"inputs = torch.randn": 128 * 256 * 4,
         "hidden = torch.relu": 128 * 512 * 4,
         "return self.last": 128 * 256 * 4,
         "self.outputs.append": 512 * 4}
STEPS = 60
LOOKS = STEPS * (STEPS + 1) // 2  # One more hook at each step.


def test():
    traced = trace([find_torch(), SCRIPT, "--steps", str(STEPS)], bare=False, timeout=200)
    expect(traced.status, 0, f"exit status: {traced.stderr[-1000:]}")
    rows = {row["line"]: row for row in report(traced.dumps[0], "lines", [SCRIPT]).data["lines"]
            if row["space"] == "host"}
    with open(SCRIPT, encoding="utf-8") as file:
        source = file.read().splitlines()
    imports = {number for number, text in enumerate(source, start=1)
               if re.match(r"\s*(import|optimiser) ", text)}
    # What the script kept was freed with the interpreter. What remains at the end is scratch memory
    # of the matrix library, which depends on the machine.
    peaks = {number: row["self"]["at_peak_bytes"] - row["self"]["leaked_bytes"]
             for number, row in rows.items() if number not in imports}
    largest = sorted(peaks, key=peaks.get, reverse=True)[:len(LEAKS)]
    for text, size in LEAKS.items():
        line = next(number for number, code in enumerate(source, start=1) if text in code)
        require(line in largest, f"line {line}, {text}, is not among the largest: {largest}")
        held = size * (LOOKS if "append" in text else STEPS)
        require(held <= peaks[line] <= 2 * held, f"line {line} holds {peaks[line]}, not {held}")
