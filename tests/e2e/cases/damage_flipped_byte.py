"""One changed byte at 200 random places is reported as damage, or provably has no effect. It is
never accepted as different data."""
# slow
import random

from damage import Verdict, killed_dump, records_of, whole_dump
from harness import expect, require


def test():
    chance = random.Random(21)
    for dump, name in ((whole_dump(), "whole"), (killed_dump(), "killed")):
        truth = Verdict(dump)
        expect(truth.status, 0, f"the {name} dump before any damage ({truth.ended.stderr})")
        for _ in range(100):
            at, bit = chance.randrange(len(dump)), 1 << chance.randrange(8)
            bent = bytearray(dump)
            bent[at] ^= bit
            verdict = Verdict(bytes(bent))
            what = f"{name} dump, byte {at} of {len(dump)}, bit {bit}"
            if verdict.status != 0:
                verdict.expect_damage(what)
                continue
            # A killed thread may leave one unfinished record behind the head of its ring. Nothing
            # can check its bytes, and nothing reads them.
            require(name == "killed" and records_of(bytes(bent)) == records_of(dump),
                    f"{what}: not noticed")
