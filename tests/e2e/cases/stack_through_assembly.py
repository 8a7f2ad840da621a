"""Assembly without unwind data in a file that has it otherwise: the stack goes on by following the
code to its return. It is complete, and the frame is marked as guessed."""
from harness import expect, function_of, trace

SHAPES = {101: "takes_room", 102: "saves_registers", 103: "aligns_stack", 104: "loops",
          105: "jumps_away", 106: "moves_by_address", 107: "has_long_instructions",
          108: "may_abort", 109: "jumps_by_table"}


def test():
    traced = trace("ways_out_of_assembly")
    stacks = {site["allocated_bytes"]: site["stack"] for site in traced.sites_of("host")}
    for size, shape in SHAPES.items():
        expect([function_of(frame) for frame in stacks[size]][:4],
               [f"allocate_{size}", shape, f"call_{shape}", "main"], f"the stack through {shape}")
        expect([function_of(frame) for frame in stacks[size] if frame.get("guessed")], [shape],
               f"guessed frames of {shape}")
    expect(traced.capture["captures"], len(SHAPES), "stacks")
    expect(traced.capture["captures_complete"], len(SHAPES), "complete stacks")
    expect(traced.capture["captures_guessed"], len(SHAPES), "stacks with a guess")
