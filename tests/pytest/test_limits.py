"""Tests that break their limits fail; other tests do not."""
import xml.etree.ElementTree as ElementTree

LIMITS = """
import gc
import pytest

kept = []

class Circle:
    def __init__(self):
        self.block = bytearray(2 << 20)
        self.self = self

@pytest.mark.limit_leaks("1 MB")
def test_keeps_a_block():
    kept.append(bytearray(3 << 20))

@pytest.mark.limit_leaks("1 MB")
def test_keeps_small_objects():
    kept.append([str(number) + "x" for number in range(40_000)])

@pytest.mark.limit_leaks("4 MB")
def test_keeps_less_than_it_may():
    kept.append(bytearray(3 << 20))

@pytest.mark.limit_leaks("1 MB")
def test_leaves_garbage():
    gc.disable()
    Circle()

@pytest.mark.limit_leaks("1 MB")
@pytest.mark.limit_peak("5 MB")
def test_takes_much_at_a_time():
    bytearray(6 << 20)

@pytest.mark.limit_peak("5 MB")
def test_what_was_there_before_does_not_count():
    bytearray(4 << 20)

@pytest.mark.limit_leaks("100 MB")
@pytest.mark.limit_leaks("1 MB", space="host")
@pytest.mark.limit_peak("1 MB", space="device:0")
@pytest.mark.parametrize("size", [2, 0])
def test_of_one_space(size):
    kept.append(bytearray(size << 20))

@pytest.mark.limit_leaks("1 MB")
def test_fails_by_itself():
    kept.append(bytearray(3 << 20))
    assert not kept
"""


def test_broken_limits_are_failures_with_the_places_to_blame(run, starts, pytester):
    result = run(LIMITS, "--junitxml=junit.xml")
    assert result.ret == 1
    assert starts() == 1
    result.assert_outcomes(passed=4, failed=5)
    result.stdout.fnmatch_lines_random([
        "FAILED test_it.py::test_keeps_a_block - limit_leaks: *",
        "FAILED test_it.py::test_keeps_small_objects - limit_leaks: *",
        "FAILED test_it.py::test_takes_much_at_a_time - limit_peak: *",
        "FAILED test_it.py::test_of_one_space[[]2] - limit_leaks: *",
        "FAILED test_it.py::test_fails_by_itself - *",
        "limit_leaks: the test kept 3.0 MiB (*) of the heap, and may 1.0 MiB: *",
        "limit_peak: the test took up to 6.0 MiB (*) of the heap, and may 5.0 MiB: *",
        "limit_leaks: the test kept 2.0 MiB (*) of host, and may 1.0 MiB",
        "*test_it.py:13 test_keeps_a_block*",
    ])
    failed = {}
    for case in ElementTree.parse(pytester.path / "junit.xml").iter("testcase"):
        found = case.find("failure")
        failed.setdefault(case.get("name"), []).append(found is not None and found.get("message"))
    assert failed["test_keeps_less_than_it_may"] == [False]
    assert len(failed["test_keeps_a_block"]) == 1
    assert "kept 3.0 MiB" in failed["test_keeps_a_block"][0]


FINE = """
def test_small():
    bytearray(100)

def test_large():
    bytearray(3 << 20)
"""


def test_a_default_limit_holds_for_all(run, pytester, dumps):
    pytester.makeini("[pytest]\nmemtrace_limit_peak = 1 MB\nmemtrace_output = own.%p.bin\n")
    result = run(FINE, "-p", "no:capture")
    assert result.ret == 1
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["FAILED test_it.py::test_large - limit_peak:*"])
    assert [dump.name.split(".")[0] for dump in dumps()] == ["own"]

    pytester.makeini("")
    result = run(FINE, command=["python", "-m", "pytest", "--memtrace", "--memtrace-top=1"])
    assert result.ret == 0
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["*PEAK*ALLOCATED*CALLS*TEST", "*3.0 MiB*test_it.py::test_large"])
    result.stdout.no_fnmatch_line("*MiB*test_it.py::test_small*")


ON_WORKERS = """
import pytest

kept = []

@pytest.mark.limit_leaks("1 MB")
@pytest.mark.parametrize("size", [3, 0, 4, 0])
def test_keeps(size):
    kept.append(bytearray(size << 20))
"""


def test_workers_of_xdist_each_judge_their_own(run, starts, dumps):
    result = run(ON_WORKERS, "-n2")
    assert result.ret == 1
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines_random(["limit_leaks: the test kept 3.0 MiB *",
                                        "limit_leaks: the test kept 4.0 MiB *"])
    assert starts() == 3  # the controller and two workers
    assert len(dumps()) == 3
