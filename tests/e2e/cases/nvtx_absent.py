"""A program that does not use NVTX: nothing is loaded for it, and the environment reads the same
by every way."""
import json

from harness import PYTHON, expect, trace

PROGRAM = """
import ctypes, json, os
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
names = [b"NVTX", b"NVTX_INJECTION64", b"NVTX_INJECTION32_PATH", b"N", b"", b"HOME", b"NVTX_SET"]
with open("/proc/self/maps") as maps:
    files = {line.split()[-1] for line in maps if "nvtx" in line.lower()}
print(json.dumps([[str(getenv(name)) for name in names], sorted(files),
                  os.environ.get("NVTX_INJECTION64_PATH"), sorted(os.environ)[:0]]))
"""


def test():
    traced = trace([PYTHON, "-c", PROGRAM], env={"NVTX_SET": "by the user"}, check_report=False)
    answers, files, variable, _ = json.loads(traced.stdout)
    expect(answers[-1], "b'by the user'", "a variable of that kind")
    expect(answers[:5], ["None"] * 5, "variables that are not there")
    expect((files, variable), ([], None), "libraries and the variable")
