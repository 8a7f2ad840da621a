"""The first screen says which mapped addresses have no memory behind them, and whose they are: a
large arena, addresses without access, pages that were given back. Memory that is used is none."""
import re

from checks import dump_of
from harness import built, expect, report, reporter, require, run

MIB = 1 << 20


def seen(how):
    """Returns the first screen as one line, and the ledger of the end."""
    dump = dump_of(built("maps_hardly_touched"), how)
    text = run([reporter(), dump]).stdout
    ledger = report(dump, "host").data["host_ledger"]["end"]
    require(ledger is not None, "there is no ledger of the host")
    return re.sub(r"\s+", " ", text), ledger


def near(value, wanted):
    return wanted * MIB <= value <= (wanted + 1) * MIB


def hardly_touched(how, function, mapped, resident):
    text, ledger = seen(how)
    one = ledger["untouched"][0]
    names = [frame["function"] for frame in one["stack"]]
    require(function in names, f"{how}: {names}")
    require(near(one["mapped_bytes"], mapped), f"{how}: {one['mapped_bytes']} bytes are mapped")
    require(near(one["resident_bytes"], resident), f"{how}: {one['resident_bytes']} are resident")
    require("mmap counts addresses:" in text and f"{resident}.0 MiB of" in text, f"{how}: {text}")
    grew = re.search(r"grew in the second half.*?memtrace-report growth", text)
    require(grew and f"of which {resident}.0 MiB are resident" in grew.group(), f"{how}: {text}")
    require(ledger["not_explained"] < 4 * MIB, f"{how}: not explained {ledger['not_explained']}")


def test():
    hardly_touched("arena", "arena", 1024, 6)
    hardly_touched("cage", "cage", 2048, 5)
    hardly_touched("given_back", "arena", 64, 4)
    text, ledger = seen("used")
    expect(ledger["untouched"], [], "used: what is not resident")
    require("mmap counts addresses" not in text and "are resident" not in text, f"used: {text}")
