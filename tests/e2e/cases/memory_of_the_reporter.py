"""The reporter takes at most 64 bytes a live block, 100 bytes a node of the stacks and 200 MB; what
follows each block's life, as the page does, 144 bytes a live block more. The numbers of blocks lie
just above and below those at which its tables grow."""
import json
import os
import subprocess

from harness import built, environment, folder, reporter, require, shim

BLOCK, NODE, FIXED, LIFE = 64, 100, 200_000_000, 144


def record(name, program, *arguments, options="quiet=1"):
    dump = os.path.join(folder(), f"{name}.bin")
    subprocess.run([program, *arguments], check=True, stdout=subprocess.DEVNULL,
                   env=environment([shim()], options=options, output=dump))
    return dump


def peak_of(dump, *command):
    """Returns the most resident memory of a run of the reporter, in bytes, and what it printed."""
    with subprocess.Popen([reporter(), *command[:1], dump, *command[1:]], cwd=folder(),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        text = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    require(process.returncode == 0, f"{command}: exit code {process.returncode}: {text[-300:]}")
    return usage.ru_maxrss * 1024, text


def check(dump, blocks, nodes, commands, more=0):
    bound = (BLOCK + more) * blocks + NODE * nodes + FIXED
    for command in commands:
        peak, _ = peak_of(dump, *command)
        require(peak <= bound, f"{dump}: {' '.join(command)} takes {peak:,} bytes with {blocks:,} "
                f"live blocks and {nodes:,} nodes, more than {bound:,}")


def test():
    plain = [["summary"], ["leaks"], ["growth"], ["sites", "--json", "-"],
             ["check", "--max-peak-bytes", "1G"],
             ["summary", "--thread", "many_live_block"]]
    lives = [["html"], ["histogram"], ["threads"], ["temporary"]]
    for blocks in (1_300_000, 2_640_000, 3_000_000):
        dump = record("blocks", built("many_live_blocks"), str(blocks))
        found = json.loads(peak_of(dump, "summary", "--json", "-")[1])
        require(found["spaces"]["host"]["leaked_blocks"] >= blocks, "blocks are missing")
        check(dump, blocks, 1000, plain if blocks == 3_000_000 else plain[:1])
    check(dump, blocks, 1000, lives, more=LIFE)

    # Stacks that never come again: about two nodes each.
    dump = record("stacks", os.path.join(os.path.dirname(shim()), "stacks"), "1000000")
    nodes = json.loads(peak_of(dump, "summary", "--json", "-")[1])["capture"]["stacks"]
    require(nodes >= 1_000_000, f"only {nodes:,} stacks")
    check(dump, 0, 2 * nodes, plain[:2] + plain[4:5])

    # Objects of Python, each of which is a live block.
    code = "kept = [(str(i), i + 0.5) for i in range(700_000)]"
    dump = record("objects", "/usr/bin/python3", "-c", code, options="python_allocs=all,quiet=1")
    check(dump, 3 * 700_000, 200_000, plain[:4])
