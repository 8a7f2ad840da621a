"""A dump reveals what a program does, so its mode is 0600 whatever the umask."""
import os

from harness import expect, trace


def test():
    for mask in (0, 0o022, 0o077):
        traced = trace("fork_child_exits", bare=False, preexec_fn=lambda mask=mask: os.umask(mask))
        for dump in traced.dumps:
            expect(oct(os.stat(dump).st_mode & 0o7777), oct(0o600), f"mode under umask {mask:o}")
