"""A dump that ends at the boundary of a section, or one byte beside it, is never taken for a
whole dump."""
# slow
from damage import Verdict, killed_dump, whole_dump
from frames import frames_of
from harness import require


def test():
    for name, dump in (("whole", whole_dump()), ("killed", killed_dump())):
        frames = frames_of(dump)
        require(len(frames) > 5, f"only {len(frames)} frames in the {name} dump")
        # All of a small dump. About fifty of a large dump, which has any size after a kill.
        for frame in frames[:10] + frames[10::max(1, len(frames) // 40)] + frames[-3:]:
            for at in (frame.offset - 1, frame.offset, frame.offset + 1, frame.payload):
                Verdict(dump[:at]).expect_damage(f"{name} dump cut at {at} of {len(dump)}")
