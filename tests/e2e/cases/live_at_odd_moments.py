"""A program that still runs, at moments when something else goes on: a profile that takes a while,
a client that goes, a dump that is being read at the first, a program that has ended."""
# slow
import json
import os
import re
import signal
import socket
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

from harness import built, environment, expect, folder, reporter, require, run, shim
from live import OWN, Server, Serving, in_terminal, memtrace
from pprof import Profile

EVENTS = 12_000_000


def profile_of(answer):
    path = os.path.join(folder(), "heap.pb.gz")
    with open(path, "wb") as file:
        file.write(answer)
    return Profile(path)


def own_of(profile, kind):
    column = [name for name, _ in profile.types].index(kind)
    return sum(values[column] for values, frames, _ in profile.samples
               if any(frame[0] in OWN for frame in frames))


def code_of(url):
    try:
        with urllib.request.urlopen(url, timeout=60) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def check_difference(server, serving):
    """What happens within some seconds, while others are answered."""
    server.serve(1000)
    time.sleep(1)
    before, got = server.held, {}
    url = serving.url + "debug/pprof/heap?seconds=3&gc=1"
    client = threading.Thread(target=lambda: got.update(
        answer=urllib.request.urlopen(url, timeout=60).read()))
    begin = time.monotonic()
    client.start()
    time.sleep(1.5)
    server.serve(3000)
    for _ in range(5):
        with serving.get("metrics") as answer:
            require(answer.read().endswith(b"# EOF\n"), "figures")
    require(time.monotonic() - begin < 3, "who asks for figures waits for the profile")
    client.join()
    took = time.monotonic() - begin
    require(3 <= took < 20, f"the answer came after {took} s")
    profile = profile_of(got["answer"])
    expect([name for name, _ in profile.types],
           ["alloc_objects", "alloc_space", "inuse_objects", "inuse_space"], "the types")
    expect(own_of(profile, "inuse_space"), server.held[0] - before[0], "bytes that stay")
    expect(own_of(profile, "inuse_objects"), server.held[1] - before[1], "blocks that stay")
    require(2.5e9 < profile.duration_ns < 20e9, f"duration {profile.duration_ns}")


def check_words(serving):
    for query, code in (("seconds=0", 400), ("seconds=x", 400), ("seconds=1&debug=1", 400),
                        ("gc=1", 200), ("debug=1", 200), ("debug=0&nothing=1", 200)):
        found, text = code_of(serving.url + "debug/pprof/heap?" + query)
        expect(found, code, f"{query} ({text[:200]})")
    _, text = code_of(serving.url + "debug/pprof/heap?debug=1")
    require(text.startswith(b"heap profile: ") and b"\tkeep\t" in text, text[:500])


def check_clients_that_go(serving):
    """Who goes before the answer disturbs nobody, and the end of an old client's answer is seen."""
    where = urllib.parse.urlparse(serving.url)
    for _ in range(8):
        client = socket.create_connection((where.hostname, where.port), timeout=60)
        client.sendall(b"GET /debug/pprof/heap?seconds=1 HTTP/1.1\r\nHost: x\r\n\r\n")
        client.close()
    with socket.create_connection((where.hostname, where.port), timeout=60) as client:
        client.sendall(b"GET /metrics HTTP/1.0\r\n\r\n")
        client.settimeout(10)
        text = b""
        while part := client.recv(65536):
            text += part
    require(text.endswith(b"# EOF\n"), text[-200:])
    time.sleep(2)
    expect(code_of(serving.url + "metrics")[0], 200, "figures afterwards")


def check_snapshots(server):
    """They are named as they were typed, and by the dump, not by where it was opened."""
    paths = [os.path.join(folder(), f"{day}.profile") for day in ("monday", "tuesday")]
    for path in paths:
        text = memtrace("snapshot", server.pid, "-o", path).stdout
        require("/proc/" not in text, text)
        server.serve(500)
        info = run([reporter(), "info", path], environment([])).stdout
        require(server.dump in info and "/proc/" not in info.split("module")[0], info)
    text = run([reporter(), "diff", *paths], environment([])).stdout
    require("/proc/" not in text, text)
    for path in paths:
        require(path in text, text)
    found = json.loads(run([reporter(), "diff", "--json", "-", *paths], environment([])).stdout)
    expect([found["before"]["dump"], found["after"]["dump"]], paths, "names in JSON")
    text = os.path.join(folder(), "text.bin")
    with open(text, "w") as file:
        file.write("no dump\n" * 1000)
    for words in (["snapshot", text], ["top", text, "--once"], ["serve", text]):
        said = memtrace(*words, status=2).stderr
        require(text in said and said.count("\n") <= 2, said)


def check_program_that_ends(server, serving):
    """The difference until the end is sent, and what has ended has its time."""
    got = {}
    client = threading.Thread(target=lambda: got.update(
        answer=urllib.request.urlopen(serving.url + "debug/pprof/heap?seconds=600",
                                      timeout=60).read()))
    client.start()
    time.sleep(1)
    before = server.held
    server.serve(100)
    expect(server.end(), 0, "exit code")
    client.join()
    expect(own_of(profile_of(got["answer"]), "inuse_space"), server.held[0] - before[0],
           "bytes until the end")
    expect(serving.process.wait(timeout=60), 0, "exit code of serve")
    serving.process.stderr.close()
    said = memtrace("serve", server.dump, status=2).stderr
    require("has ended" in said and server.dump in said and "serving" not in said, said)
    time.sleep(2)
    found = json.loads(run([reporter(), "info", "--json", "-", server.dump],
                           environment([])).stdout)
    wanted = found["program"]["duration_ns"] / 1e9
    said = memtrace("top", server.dump, "--once", "--space", "bogus", status=2)
    require("--space bogus: " in said.stderr and "has no such space; it has: host" in said.stderr
            and said.stdout == "", said.stderr + said.stdout)
    line = memtrace("top", server.dump, "--once").stdout.splitlines()[0]
    shown = re.search(r"pid \d+ +(?:(\d+) min )?([\d.]+) s", line)
    seconds = 60 * int(shown[1] or 0) + float(shown[2])
    require(abs(seconds - wanted) <= 0.51 + wanted * 0.01, f"{line} of {wanted} s")


def check_quit_while_reading():
    """The keys are heard while a large dump is read."""
    dump = os.path.join(folder(), "large.bin")
    run([built("many_events"), str(EVENTS)], environment([shim()], output=dump))
    begin = time.monotonic()
    memtrace("top", dump, "--once")
    whole = time.monotonic() - begin
    for key in (b"q", signal.SIGINT, signal.SIGTERM):
        begin = time.monotonic()
        status, drawn, said = in_terminal([dump], [(b"reading", key)])
        took = time.monotonic() - begin
        expect((status, said), (0, ""), f"exit code, stderr after {key!r}")
        require("reading what was recorded" in drawn, drawn[-500:])
        print(f"left after {took:.1f} s; to read it takes {whole:.1f} s")
        require(whole < 2 or took < 1 + whole / 2, f"it took {took} s to leave, of {whole}")


def test():
    server = Server()
    try:
        server.serve(3000)
        serving = Serving(server.pid)
        check_difference(server, serving)
        check_words(serving)
        check_clients_that_go(serving)
        check_snapshots(server)
        check_program_that_ends(server, serving)
    finally:
        server.process.kill()
    check_quit_while_reading()
