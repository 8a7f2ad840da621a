"""A program that still runs: reports, top, serve and snapshot say what it holds at this moment, to
the byte, and leave it alone. top leaves the terminal as it found it."""
# slow
import json
import os
import re
import signal
import subprocess
import time
import urllib.error
import urllib.request

from harness import PYTHON, environment, expect, folder, reporter, require, run, shim
from live import OWN, Server, Serving, document, held_by_own, in_terminal, memtrace
from pprof import Profile


def check_reports(server):
    for requests in (30, 3000, 90000, 300):
        server.serve(requests)
        found = document("sites", server.dump)
        expect(held_by_own(found["sites"]), server.held, "held by own code")
        expect(found["program"]["end"], "running", "the end")
        expect((found["problems"], found["capture"]["anomalies"]), ([], 0), "problems, anomalies")
    text = run([reporter(), server.dump], environment([])).stdout
    require("still running" in text, text)


def check_while_it_works(server):
    """The dump is read while threads write to it: nothing contradicts itself."""
    server.process.stdin.write("600000\n")
    server.process.stdin.flush()
    for _ in range(6):
        found = document("summary", server.dump)
        expect((found["problems"], found["capture"]["anomalies"], found["capture"]["lost_events"]),
               ([], 0, 0), "problems, anomalies, lost events")
    server.held = tuple(map(int, server.process.stdout.readline().split()))


def check_snapshot(server):
    path = os.path.join(folder(), "now.profile")
    ended = memtrace("snapshot", server.pid, "-o", path)
    require("exact" in ended.stdout and "damaged" not in ended.stdout, ended.stdout)
    server.serve(600)  # The profile is of the moment before.
    before = server.held
    sites = document("sites", path)["sites"]
    bytes_, blocks = held_by_own(sites)
    require(0 < before[0] - bytes_ <= 600 * 900, "the profile is that of its moment")
    require(0 < before[1] - blocks <= 600 * 2, "the profile is that of its moment")


def check_top_once(server):
    for name in (server.pid, server.dump):
        text = memtrace("top", name, "--once").stdout
        require("serves_requests" in text.splitlines()[0], text)
        require(re.search(r"MiB.* keep ", text) and "put_into_cache" in text, text)
        require(all(len(line) <= 100 for line in text.splitlines()), text)


def check_serve(server):
    serving = Serving(server.pid)
    require("127.0.0.1" in serving.url, serving.line)
    for requests in (3, 3000, 60000):
        server.serve(requests)
        time.sleep(0.5)  # The newest moments wait for the next look.
        with serving.get("metrics") as answer:
            require(answer.headers["Content-Type"].startswith("application/openmetrics-text"),
                    answer.headers)
            text = answer.read().decode()
        require(text.endswith("# EOF\n"), text)
        with serving.get("debug/pprof/heap") as answer:
            path = os.path.join(folder(), "heap.pb.gz")
            with open(path, "wb") as file:
                file.write(answer.read())
        profile = Profile(path)
        column = [name for name, _ in profile.types].index("inuse_space")
        own = sum(values[column] for values, frames, _ in profile.samples
                  if any(frame[0] in OWN for frame in frames))
        expect(own, server.held[0], "bytes in the profile")
        held = int(re.search(r'memtrace_held_bytes\{space="host"\} (\d+)', text)[1])
        require(held >= server.held[0], text)
    for path, code in (("nothing", 404), ("debug/pprof/heap/..", 404)):
        try:
            serving.get(path)
            require(False, f"{path} is answered")
        except urllib.error.HTTPError as error:
            expect(error.code, code, path)
    try:
        urllib.request.urlopen(serving.url + "metrics", data=b"x", timeout=60)
        require(False, "a POST is answered")
    except urllib.error.HTTPError as error:
        expect(error.code, 501, "POST")
    return serving


def check_terminal(server):
    status, drawn, said = in_terminal(
        [server.pid, "--interval", "0.3"],
        [(b"keep", b"\x1b[B"), (b"", b"\r"), (b"the call stack", b"\r"), (b"", b"s"),
         (b"", b"\t"), (b"", b"f"), (b"lines with", b"cache\n"), (b"", b"q")])
    expect((status, said), (0, ""), "exit code, stderr")
    for part in ("WHERE", "[host ", "resident", "put_into_cache", "main "):
        require(part in drawn, f"{part!r} is not drawn: {drawn[-2000:]}")
    for signal_ in (signal.SIGTERM, signal.SIGINT):
        status, _, said = in_terminal([server.pid], [(b"keep", signal_)])
        expect((status, said), (0, ""), "exit code, stderr after a signal")


def check_misuse(server):
    for words, sentence in (
            (["top", "999999999"], "no process 999999999"),
            (["top", str(os.getpid())], "processes that it started"),
            (["snapshot", "/no/such.bin"], "no such file"),
            (["serve", server.pid, "--address", "192.0.2.1"], "cannot listen"),
            (["serve", server.pid, "--port", "1000000"], "--port")):
        ended = memtrace(*words, status=2)
        require(sentence in ended.stderr, f"{words}: {ended.stderr}")
        expect(ended.stderr.count("\n"), len(ended.stderr.splitlines()), "whole lines")


ORPHAN = """
import os, signal, sys, time
if os.fork() == 0:
    time.sleep(60)
    os._exit(0)
os.kill(os.getpid(), signal.SIGKILL)
"""


def check_killed_parent():
    """A child that is not recorded holds the dump open. Its parent does not run any more."""
    for options in ("children=none", "children=same"):
        dump = os.path.join(folder(), "killed.bin")
        process = subprocess.Popen(
            [PYTHON, "-c", ORPHAN], start_new_session=True,
            env=environment([shim()], options=options + ",quiet=1", output=dump))
        expect(process.wait(timeout=60), -signal.SIGKILL, "exit code")
        ended = run([reporter(), "info", "--json", "-", dump], environment([]))
        expect(json.loads(ended.stdout)["program"]["end"], "unknown", "the end of a killed program")
        os.killpg(process.pid, signal.SIGKILL)


def test():
    check_killed_parent()
    server = Server()
    other = Server("rings=private")
    try:
        check_reports(server)
        check_while_it_works(server)
        check_snapshot(server)
        check_top_once(server)
        check_terminal(server)
        serving = check_serve(server)
        check_misuse(server)
        # Rings in memory of the program: what is in the dump is shown, and nothing contradicts it.
        other.serve(300000)
        text = memtrace("top", other.pid, "--once").stdout
        require("private rings" in text and "MiB" in text, text)
        # Nobody has touched the program.
        expect((server.end(), other.end()), (0, 0), "exit codes")
        expect(serving.process.wait(timeout=60), 0, "exit code of serve")
        require(server.dump in serving.process.stderr.read(), "where the dump is")
        serving.process.stderr.close()
        expect(held_by_own(document("sites", server.dump)["sites"]), server.held, "at the end")
        text = memtrace("top", server.dump, "--once").stdout
        require("ENDED" in text and "keep" in text, text)
    finally:
        for one in (server, other):
            one.process.kill()
