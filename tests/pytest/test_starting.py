"""How the recorder is loaded into the process, and what happens if it cannot be."""
import os
import stat

PASSES = """
import pytest

@pytest.mark.limit_leaks("1 MB")
def test_passes(): pass
"""


def test_under_memtrace_already_nothing_is_started_anew(run, starts, dumps):
    result = run(PASSES, command=["memtrace", "run", "-o", "here.bin", "--", "python", "-m",
                                  "pytest", "--memtrace"])
    assert result.ret == 0
    assert starts() == 1
    assert [dump.name for dump in dumps()] == ["here.bin"]


def test_without_the_option_markers_are_known_and_nothing_happens(run, dumps):
    result = run(PASSES, command=["python", "-m", "pytest", "--strict-markers"])
    assert result.ret == 0
    assert dumps() == []


def test_without_memtrace_there_is_one_error(run):
    result = run(PASSES, "--memtrace-bin=/no/such/memtrace")
    assert result.ret == 4
    errors = [line for line in result.stderr.lines if "memtrace" in line]
    assert errors == ["ERROR: --memtrace: there is no program '/no/such/memtrace'"]


def test_a_wrong_marker_is_said_before_anything_runs(run):
    result = run(PASSES.replace("1 MB", "much"))
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*test_passes*limit_leaks: 'much' is not a size*"])


def script(pytester, text):
    path = pytester.path / "memtrace"
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return f"--memtrace-bin={path}"


def test_an_interpreter_that_stays_unrecorded_is_started_once(run, pytester):
    unrecorded = 'while [ "$1" != -- ]; do shift; done; shift; exec "$@"\n'
    result = run(PASSES, script(pytester, unrecorded))
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*was started under memtrace, and is not recorded*"])


def test_what_cannot_be_read_does_not_pass(run, pytester):
    starts = f'[ "$1" = run ] && exec {real_memtrace()} "$@"\n'
    result = run(PASSES, script(pytester, starts + 'echo "no such luck" >&2; exit 3\n'))
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*memory was not checked*", "*ended with 3: no such luck"])


def real_memtrace():
    folders = os.environ["PATH"].split(os.pathsep)
    return next(path for path in (os.path.join(folder, "memtrace") for folder in folders)
                if os.access(path, os.X_OK))
