# Runs of `memtrace run`.
import glob
import os

import harness
from harness import BUILD, environment, expect, report, require, run


def launcher():
    return os.path.join(BUILD, "memtrace")


class Launched:
    """A run of `memtrace run`: its end, and the dumps in its folder."""

    def __init__(self, ended, cwd):
        self.status, self.stdout, self.stderr = ended.status, ended.stdout, ended.stderr
        self.cwd = cwd
        self.dumps = sorted(path for path in glob.glob(os.path.join(glob.escape(cwd), "*.bin*")))

    def programs(self):
        """Returns the file names of all recorded programs."""
        return sorted(os.path.basename(report(dump).program["command"][0]) for dump in self.dumps)

    def expect_said(self, *words):
        for word in words:
            require(word in self.stderr, f"{word!r} is not said:\n{self.stderr}")
        return self


def launch(*words, env=None, cwd=None, status=0, **more):
    """Runs `memtrace run WORDS…` in a new folder, or in that of an earlier run."""
    cwd = cwd or harness.folder()
    ended = run([launcher(), "run", *map(str, words)], environment([], env), cwd=cwd, **more)
    expect(ended.status, status, f"exit code of memtrace run (stderr: {ended.stderr[-2000:]})")
    return Launched(ended, cwd)
