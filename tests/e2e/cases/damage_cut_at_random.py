"""A dump cut at 200 random places: a sentence, the intact part, exit code 2 or 3; never a crash
or a hang."""
# slow
import random

from damage import Verdict, killed_dump, whole_dump
from frames import frames_of


def test():
    chance = random.Random(20)
    for dump, name in ((whole_dump(), "whole"), (killed_dump(), "killed")):
        end = frames_of(dump)[-1].end  # Only unused space follows it.
        for _ in range(100):
            at = chance.randrange(end)
            Verdict(dump[:at]).expect_damage(f"{name} dump cut at {at} of {len(dump)}")
