"""One bad chunk in the middle costs only its own events, and its extent is reported."""
from damage import Verdict, whole_dump
from frames import CHUNK, frames_of
from harness import require


def test():
    dump = whole_dump()
    chunks = [frame for frame in frames_of(dump) if frame.kind == CHUNK and frame.slot_count > 500]
    require(len(chunks) > 4, f"only {len(chunks)} chunks")
    middle = chunks[len(chunks) // 2]
    bent = bytearray(dump)
    bent[middle.payload + middle.stored_bytes // 2] ^= 0x10
    verdict, truth = Verdict(bytes(bent)), Verdict(dump)
    verdict.expect_damage("one bad chunk")
    end = middle.payload + middle.stored_bytes
    named = [problem for problem in verdict.data["problems"]
             if problem["offset"] <= middle.payload and problem["offset"] + problem["bytes"] >= end]
    require(named, f"chunk at {middle.offset} is not in {verdict.data['problems']}")
    lost = truth.data["capture"]["events"] - verdict.data["capture"]["events"]
    require(0 < lost <= middle.slot_count,
            f"{lost} events lost with a chunk of {middle.slot_count} slots")
