"""The shim takes little of the program's stack, on the rare ways, too: at the end, in a forked
child, before a filter, when the recording stops, in a search for lost blocks. A thread may have 16
KiB, a coroutine or a handler less, and nothing tells the program that there is no more."""
import os
import resource
import signal
import subprocess
import time

from harness import (BUILD, PYTHON, built, environment, expect, folder, require, run, shim)

PAINT = b"\xab"
MOST = 5120  # bytes beyond what the program takes itself; SIGSTKSZ, for handlers, is 8192
WAYS = ("events", "fork", "return_in_child", "exit", "quick_exit", "_exit", "exec", "filter",
        "handler", "library", "thread")
OPTIONS = ("", "quiet=1,lost=exit", "lost=exit,rings=private", "max_dump=1M",
           "sample=4K,children=all")


def stack_of(path):
    """Returns how many bytes of the stack were in use."""
    with open(path, "rb") as file:
        return len(file.read().lstrip(PAINT))


def used(way, options=None, prepare=None):
    """Returns how the program ended, and the bytes of its stack that were in use."""
    where = folder()
    painted = os.path.join(where, "stack")
    preload = [] if options is None else [shim()]
    env = environment(preload, {"LD_BIND_NOW": "1"}, options or "",
                      os.path.join(where, "dump.%p.bin"))
    ended = run([built("small_stacks"), way, painted], env=env, preexec_fn=prepare)
    return ended, stack_of(painted)


def check(what, way, options, prepare=None):
    bare, bare_bytes = used(way, prepare=prepare)
    traced, bytes_ = used(way, options, prepare)
    expect(traced.status, bare.status, f"{what}: exit status")
    require(bytes_ - bare_bytes <= MOST,
            f"{what}: {bytes_} bytes of stack, {bare_bytes} without memtrace")
    return traced


def check_stops():
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (100 << 10, 100 << 10))
    for options in ("", "rings=private"):
        traced = check(f"a limit on files, {options}", "events", options, limit)
        require("recording stopped" in traced.stderr, f"nothing stopped: {traced.stderr}")


def check_asked():
    where = folder()
    painted, dump = os.path.join(where, "stack"), os.path.join(where, "dump.bin")
    env = environment([shim()], {"LD_BIND_NOW": "1"}, "quiet=1", dump)
    program = subprocess.Popen([built("small_stacks"), "asked", painted], env=env)
    while not os.path.exists(dump):
        time.sleep(0.05)
    time.sleep(0.3)
    ended = run([os.path.join(BUILD, "memtrace"), "lost", dump], env=environment([]))
    open(f"{painted}.stop", "w").close()
    expect(program.wait(60), 0, "a program that is asked for lost blocks")
    require(ended.status in (0, 3), f"memtrace lost: {ended.status} {ended.stderr}")
    require(stack_of(painted) <= MOST + 2048, f"asked: {stack_of(painted)} bytes of stack")


def check_python():
    """A thread of Python with little stack that starts a program with a function before it."""
    code = ("import threading, subprocess, sys\n"
            "threading.stack_size(32768)\n"
            "def start():\n"
            "    print(subprocess.run(['true'], preexec_fn=lambda: None).returncode)\n"
            "thread = threading.Thread(target=start); thread.start(); thread.join()\n")
    where = folder()
    bare = run([PYTHON, "-c", code], env=environment([]))
    traced = run([PYTHON, "-c", code],
                 env=environment([shim()], output=os.path.join(where, "dump.%p.bin")))
    expect((traced.status, traced.stdout), (bare.status, bare.stdout), "a thread of Python")


def test():
    for way in WAYS:
        for options in OPTIONS:
            if way == "filter" and options.startswith("sample"):
                continue
            check(f"{way}, {options}", way, options)
    check_stops()
    check_asked()
    check_python()
