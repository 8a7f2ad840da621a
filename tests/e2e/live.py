"""A recorded server that its test drives, and the commands that look at it while it runs."""
import fcntl
import json
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
import urllib.request

from harness import built, environment, expect, folder, reporter, require, run, shim
from launch import launcher

OWN = ("keep", "put_into_cache")



class Server:
    """The program serves_requests, recorded."""

    def __init__(self, options="", env=None):
        self.dump = os.path.join(folder(), "server.bin")
        self.process = subprocess.Popen(
            [built("serves_requests")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            stderr=subprocess.PIPE,
            env=environment([shim()], env, options=options, output=self.dump))
        expect(self.process.stdout.readline(), "ready\n", "the first line")
        self.held = (0, 0)

    @property
    def pid(self):
        return str(self.process.pid)

    def serve(self, requests):
        self.process.stdin.write(f"{requests}\n")
        self.process.stdin.flush()
        self.held = tuple(map(int, self.process.stdout.readline().split()))

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process.stderr.close()
        return status


def document(*words):
    ended = run([reporter(), *words, "--json", "-"], environment([]))
    found = json.loads(ended.stdout)
    expect(ended.status, 0, f"exit code ({ended.stderr[-500:]}{found['problems']})")
    return found


def held_by_own(sites):
    """Returns bytes and blocks of the program's own functions."""
    own = [site for site in sites if site["space"] == "host"
           and any(frame["function"] in OWN for frame in site["stack"])]
    return sum(site["leaked_bytes"] for site in own), sum(site["leaked_blocks"] for site in own)


def memtrace(*words, status=0):
    ended = run([launcher(), *words], environment([], {"COLUMNS": "100"}), cwd=folder())
    expect(ended.status, status, f"exit code of {words} ({ended.stdout}{ended.stderr})")
    return ended


class Serving:
    """memtrace serve, on a port of its own choice."""

    def __init__(self, *words):
        self.process = subprocess.Popen([launcher(), "serve", *words], stderr=subprocess.PIPE,
                                        text=True, env=environment([]))
        self.line = self.process.stderr.readline()
        self.url = re.search(r"http://\S+/", self.line)[0]

    def get(self, path):
        return urllib.request.urlopen(self.url + path, timeout=60)


def in_terminal(words, keys, columns=80):
    """Runs memtrace top in a terminal, and types. Returns what it drew, without escapes."""
    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    before = termios.tcgetattr(child)
    process = subprocess.Popen(
        [launcher(), "top", *words], stdin=child, stdout=child, stderr=subprocess.PIPE,
        env=environment([], {"TERM": "linux", "LC_ALL": "C.UTF-8"}), start_new_session=True)
    drawn, keys, deadline = b"", list(keys), time.monotonic() + 120
    while process.poll() is None and time.monotonic() < deadline:
        if select.select([parent], [], [], 0.2)[0]:
            drawn += os.read(parent, 65536)
        elif keys and keys[0][0] in drawn:
            key = keys.pop(0)[1]
            if isinstance(key, int):
                process.send_signal(key)
            else:
                os.write(parent, key)
    process.kill()
    require(termios.tcgetattr(child) == before, "the terminal is not as it was")
    os.close(parent)
    os.close(child)
    said = process.stderr.read().decode()
    process.stderr.close()
    return process.wait(), drawn.decode(errors="replace"), said
