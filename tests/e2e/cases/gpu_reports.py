"""The reports of a training job on one card, from its dump in text form: the ledger adds up,
PyTorch's own counts agree, and a refusal of memory is shown with the sites that held the device.
A dump without one segment is a coverage problem: no check passes on it."""
import json
import os

from harness import BUILD, SOURCE, expect, folder, reporter, require, run

MIB = 1 << 20


def dump_of(text, name):
    source, dump = (os.path.join(folder(), name + end) for end in (".txt", ".bin"))
    with open(source, "w") as file:
        file.write(text)
    expect(run([os.path.join(BUILD, "dump-from-text"), source, dump]).status, 0, "dump-from-text")
    return dump


def document(command, dump):
    result = run([reporter(), command, "--json", "-", dump])
    return result.status, json.loads(result.stdout)


def test():
    with open(os.path.join(SOURCE, "tests", "e2e", "dumps", "gpu_training.txt")) as file:
        text = file.read()
    dump = dump_of(text, "training")
    status, data = document("gpu", dump)
    expect(status, 0, "exit code")
    expect(data["capture"]["gpu"], "driver", "who recorded")
    expect(data["capture"]["anomalies"], 0, "contradictions")
    expect(data["gpu"]["devices"][0]["torch_agreement"]["agreed"], 5, "moments that agree")
    end = data["gpu_ledger"][0]["end"]
    rows = {row["key"]: row["bytes"] for row in end["rows"]}
    expect(rows, {"tensors": 5 * MIB, "cached": 0, "fragmented": 17 * MIB, "owner:NCCL": 2 * MIB,
                  "owner:server": MIB // 2, "kept_by_pools": 3 * MIB // 2, "context": 8 * MIB},
           "rows at the end")
    expect(sum(rows.values()) + end["not_explained"], end["measured"]["used"], "the ledger")
    recorded = sum(row["bytes"] for row in end["rows"] if not row["is_estimate"])
    expect(recorded, data["spaces"]["device:0"]["leaked_bytes"], "recorded rows")
    expect(data["spaces"]["pinned"]["leaked_bytes"], MIB, "pinned")
    expect(data["spaces"]["mmap"]["classes"]["gpu_driver"]["leaked_bytes"], MIB, "its mapping")

    _, data = document("oom", dump)
    expect([refusal["by"] for refusal in data["refusals"]], ["driver", "torch"], "who refused")
    holders = data["holders"]
    expect(holders["tensors"]["bytes"], 5 * MIB, "tensors then")
    expect(holders["tensors"]["sites"][0]["since_mark"], MIB, "growth since the mark")
    expect(holders["holes"][0]["bytes"], 8 * MIB, "largest hole")
    expect(holders["asked_by"][0]["module"], "/torch/lib/libc10_cuda.so", "who asked")
    shown = run([reporter(), "oom", dump]).stdout
    require("32.0 MiB (33,554,432 bytes) on device 0" in shown, "the text says what was asked")

    segment = next(line for line in text.splitlines() if "address=0xa10000000 context" in line)
    missing = dump_of(text.replace(segment + "\n", ""), "missing")
    status, data = document("gpu", missing)
    expect(status, 3, "exit code where a segment is missing")
    agreement = data["gpu"]["devices"][0]["torch_agreement"]
    expect(agreement["agreed"], 3, "moments that agree")
    expect(agreement["first"]["their_reserved"] - agreement["first"]["our_reserved"], 2 * MIB,
           "what was not seen")
    expect(run([reporter(), "check", "--max-leaked-bytes", "1G", missing]).status, 3, "check")
