# Kills a program at a random instant and compares its dump with its own counts in shared memory.
import mmap
import os
import random
import shutil
import signal
import struct
import subprocess
import time

from harness import (built, check_capture, environment, expect, folder, report, reporter,
                     require, run, shim, SLOW)


def kill_many(times, threads, options="ring=2048", seed=1):
    chance = random.Random(seed)
    recorded = 0
    for number in range(times):
        recorded += kill_once(threads, options, chance, f"kill {number} of {times}")
    print(f"{times} kills, {recorded} allocations recorded")
    require(recorded > times * 100, "nearly all were killed before they began: nothing is shown")


def kill_once(threads, options, chance, what, rest=None, seconds=0.06, meanwhile=None):
    """`rest`: microseconds of the program after 1000 blocks. `meanwhile(dump)` is called before the
    kill, which is up to so many seconds after the beginning. Returns the number of allocations."""
    where = folder()
    dump, shared = os.path.join(where, "dump.bin"), os.path.join(where, "shared")
    with open(shared, "wb") as file:
        file.truncate(4096)
    with open(shared, "r+b") as file:
        counts = mmap.mmap(file.fileno(), 4096)
    words = [built("killed"), shared, str(threads)] + ([] if rest is None else [str(rest)])
    process = subprocess.Popen(words, start_new_session=True,
                               env=environment([shim()], options=options, output=dump),
                               stderr=subprocess.PIPE)
    if chance.random() < 0.8:  # The other runs may be killed while memtrace starts.
        deadline = time.monotonic() + 10 * SLOW
        while counts[:8] == bytes(8) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.0005)
    time.sleep(chance.random() ** 2 * seconds)
    if meanwhile is not None:
        meanwhile(dump)
    process.send_signal(signal.SIGKILL)
    said = process.communicate()[1].decode()
    expect(process.returncode, -signal.SIGKILL, f"{what}: its end ({said})")
    done = [struct.unpack_from("<QQ", counts, 64 * thread) for thread in range(threads)]
    acquired, released = (sum(column) for column in zip(*done))
    counts.close()
    recorded = compare(dump, acquired, released, threads, what)
    shutil.rmtree(where)
    return recorded


KILL_LIMIT = 8 << 20  # It would take seconds to come to a half of it without a helper.


def on_disk(path):
    return os.stat(path).st_blocks * 512


def helpers_of(dump):
    """The numbers of the processes that have this dump open, and compact it."""
    inode = os.stat(dump).st_ino
    found = []
    for number in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{number}/cmdline", "rb") as file:
                if b"compact-beside" not in file.read():
                    continue
            files = [os.stat(f"/proc/{number}/fd/{fd}").st_ino
                     for fd in os.listdir(f"/proc/{number}/fd")]
        except OSError:
            continue
        if inode in files:
            found.append(int(number))
    return found


class Killed:
    """How many programs were killed, how many of their dumps had been compacted, how many helpers
    were killed before their program, and how many allocations all dumps have."""

    def __init__(self):
        self.programs = self.compacted = self.helpers = self.allocations = 0

    def __str__(self):
        return (f"{self.programs} kills, {self.compacted} of dumps that were compacted, "
                f"{self.helpers} helpers killed, {self.allocations:,} allocations")


def kill_while_compacted(times, times_max, seed=20261128):
    """Kills programs whose dump a helper compacts, at any instant, in every third run the helper
    before its program: no event is lost, and the dump stays within its limit. Goes on up to
    `times_max` until one dump was compacted."""
    chance, killed = random.Random(seed), Killed()

    def look(dump):
        if not os.path.exists(dump):
            return
        if chance.random() < 0.3:
            for number in helpers_of(dump):
                os.kill(number, signal.SIGKILL)
                killed.helpers += 1
        require(on_disk(dump) <= KILL_LIMIT, f"the dump takes {on_disk(dump)} bytes")
        killed.compacted += on_disk(dump) + (64 << 10) < os.path.getsize(dump)

    while killed.programs < times or (killed.compacted == 0 and killed.programs < times_max):
        killed.programs += 1
        killed.allocations += kill_once(2, f"max_dump={KILL_LIMIT},ring=2048", chance,
                                        f"kill {killed.programs}", rest=20_000, seconds=4,
                                        meanwhile=look)
    return killed


def compare(dump, acquired, released, threads, what):
    """Checks counted <= recorded <= counted + 1 for each thread: the last call may be under way."""
    if not os.path.exists(dump) or os.path.getsize(dump) < 4096:
        expect(acquired, 0, f"{what}: there is no dump, but the program had begun")
        return 0
    if acquired == 0 and run([reporter(), "info", dump]).status == 2:
        return 0  # Killed between creating the file and writing its header. The file is empty.
    found = report(dump, status=None if acquired == 0 else 0)
    expect(found.program["end"], "unknown", f"{what}: how it ended")
    if acquired:
        check_capture(found)
    own, frees = found.own["allocations"], found.host["frees"]
    require(acquired <= own <= acquired + threads,
            f"{what}: {acquired} allocations counted, {own} recorded, {threads} threads")
    require(released <= frees <= released + threads,
            f"{what}: {released} frees counted, {frees} recorded, {threads} threads")
    return own
