"""Each test runs its own pytest, as a user would."""
import pytest

pytest_plugins = "pytester"

# Counts the loads of conftest.py. It is loaded once, because Python restarts before.
COUNTS_STARTS = 'with open("starts", "a") as file: file.write("x")\n'


@pytest.fixture
def run(pytester, monkeypatch):
    """Runs pytest with these arguments on this text of a test file."""
    monkeypatch.delenv("PYTEST_ADDOPTS", raising=False)

    def run_tests(source, *words, command=None):
        pytester.makepyfile(test_it=source)
        pytester.makeconftest(COUNTS_STARTS)
        if command is None:
            return pytester.runpytest_subprocess("--memtrace", *words)
        return pytester.run(*command, *words)

    return run_tests


@pytest.fixture
def starts(pytester):
    return lambda: len((pytester.path / "starts").read_text())


@pytest.fixture
def dumps(pytester):
    return lambda: sorted(pytester.path.glob("*.bin"))
