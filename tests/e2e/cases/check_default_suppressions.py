"""check: what Python leaves behind from its start and its imports is not a leak. What the user's
own code keeps is a leak, although it goes through the same functions."""
import json
import os

from checks import check, dump_of
from harness import PYTHON, expect, folder, require

KEEPS = """
import ctypes, decimal, json, sys
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
def leak():
    return libc.malloc(ctypes.c_size_t(150000))
def hold():
    sys.kept = bytearray(250000)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(sys.kept))
leak()
hold()
"""


def leaked(dump, *options):
    path = os.path.join(folder(), "found.json")
    check(dump, "--max-leaked-bytes", "0", "--json", path, *options)
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    return data["checks"][0]["measured"], data["check"]["suppressed_bytes"]


def test():
    found, suppressed = leaked(dump_of([PYTHON, "-c", "import json, decimal"]))
    require(suppressed > 0 and found < suppressed / 4,
            f"{found} bytes of an empty program count as leaked, {suppressed} do not")
    script = os.path.join(folder(), "keeps.py")
    with open(script, "w", encoding="utf-8") as file:
        file.write(KEEPS)
    dump = dump_of([PYTHON, script], options="python_allocs=off")
    counted, suppressed = leaked(dump)
    require(counted >= 400000, f"only {counted} bytes count as leaked")
    whole, nothing = leaked(dump, "--no-default-suppressions")
    expect((whole, nothing), (counted + suppressed, 0), "all of it")
