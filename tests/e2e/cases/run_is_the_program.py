"""`memtrace run` without a report becomes the program: same process, output and end, and a dump."""
import subprocess

from harness import PYTHON, built, environment, expect, folder, report, require
from launch import launch, launcher


def test():
    program = built("free_on_other_thread")
    cwd = folder()
    process = subprocess.Popen([launcher(), "run", "-o", "dump.bin", program], cwd=cwd,
                               env=environment([]), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.communicate(timeout=60)
    expect(process.returncode, 0, "exit code")
    expect(report(f"{cwd}/dump.bin").program["pid"], process.pid, "the recorded process")

    found = launch(PYTHON, "-c", "print('out'); raise SystemExit(7)", status=7)
    expect(found.stdout, "out\n", "stdout")
    expect(len(found.dumps), 1, "dumps")
    require(found.dumps[0].endswith(".bin"), found.dumps)

    # Options of the recording, and an output pattern.
    quiet = launch("--options", "quiet=1", "-o", "a.%e.%p.bin", "--", program)
    expect(quiet.stderr, "", "stderr")
    expect(quiet.programs(), ["free_on_other_thread"], "recorded")
