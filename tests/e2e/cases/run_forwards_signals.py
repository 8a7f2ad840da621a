"""A signal sent to `memtrace run` reaches the program. Ctrl-C, which reaches both, arrives once.
The report is printed in any case."""
import os
import pty
import signal
import subprocess

from harness import PYTHON, environment, expect, folder, require
from launch import launcher

COUNTS = """
import signal, sys, time
seen = []
for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
    signal.signal(number, lambda number, frame: seen.append(number))
print("ready", flush=True)
deadline = time.monotonic() + 30
while not seen and time.monotonic() < deadline:
    time.sleep(0.02)
time.sleep(0.3)
print(len(seen), seen[0].real, flush=True)
sys.exit(9)
"""


def command():
    return [launcher(), "run", "--report", "--", PYTHON, "-c", COUNTS]


def test():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
        process = subprocess.Popen(command(), env=environment([]), cwd=folder(),
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   start_new_session=True)
        expect(process.stdout.readline(), "ready\n")
        process.send_signal(number)
        out, err = process.communicate(timeout=60)
        expect(out, f"1 {int(number)}\n", "signals seen by the program")
        expect(process.returncode, 9, "exit code")
        require("Peak of host" in err, f"no report: {err}")
    from_a_terminal()


def from_a_terminal():
    cwd, env = folder(), environment([])
    pid, terminal = pty.fork()
    if pid == 0:
        os.chdir(cwd)
        os.execve(launcher(), command(), env)
    text = b""
    while b"ready" not in text:
        text += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    try:
        while True:
            text += os.read(terminal, 10000)
    except OSError:  # The last process has closed it.
        pass
    _, status = os.waitpid(pid, 0)
    require(b"1 2\r\n" in text, f"not one SIGINT: {text!r}")
    expect(os.WEXITSTATUS(status), 9, "exit code")
    require(b"Peak of host" in text, "no report after Ctrl-C")
