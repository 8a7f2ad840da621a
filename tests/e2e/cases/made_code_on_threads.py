"""Threads register thousands of functions while others allocate through theirs: every stack is
complete, and nothing is guessed."""
from harness import expect, require, trace


def test():
    capture = trace("made_code_on_threads").capture
    require(capture["captures"] > 160, "there are too few stacks")
    expect(capture["captures_complete"], capture["captures"], "complete stacks")
    expect(capture["captures_guessed"], 0, "stacks with a guess")
