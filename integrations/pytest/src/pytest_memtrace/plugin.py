"""The plugin: pytest's hooks, in the order in which pytest calls them."""
import copy
import gc
import os
from types import SimpleNamespace
from typing import Any, Dict, Generator, List, Optional

import pytest

from . import junit, limits, recorder, verdict

TABLE_ROWS = 10


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("memtrace", "memory of each test, recorded by memtrace")
    group.addoption("--memtrace", action="store_true",
                    help="Record all memory, and fail tests that break their limits.")
    settings = [
        ("limit-peak", "SIZE", "What a test may take at a time, if it has no limit_peak marker."),
        ("limit-leaks", "SIZE", "What a test may leave behind, if it has no limit_leaks marker."),
        ("top", "N", f"Tests of the table at the end ({TABLE_ROWS}); 0: no table."),
        ("output", "FILE", "The dump (memtrace.pytest.%p.bin); %p is the process."),
        ("options", "KEY=VALUE,...", "More settings of the recording, as in MEMTRACE_OPTIONS."),
        ("bin", "FILE", "The program memtrace, if it is not in $PATH."),
    ]
    for name, value, text in settings:
        group.addoption(f"--memtrace-{name}", metavar=value, help=text)
        parser.addini(f"memtrace_{name.replace('-', '_')}", text)


def setting(config: pytest.Config, name: str) -> Optional[str]:
    """Returns a setting from the command line, or else from the settings file."""
    value = getattr(config.known_args_namespace, f"memtrace_{name}", None)
    return value if value is not None else config.getini(f"memtrace_{name}") or None


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Runs before any test module is imported, and before output is captured."""
    options = early_config.known_args_namespace
    is_worker = "PYTEST_XDIST_WORKER" in os.environ
    if options.memtrace and not options.help and not is_worker:
        program = recorder.find_program(setting(early_config, "bin"))
        if recorder.dump_of_this_process() is None:
            # xdist's workers are children. Other processes that tests start are not recorded.
            children = "same" if getattr(options, "numprocesses", None) else "none"
            more = setting(early_config, "options")
            recorder.start_anew(
                program, setting(early_config, "output") or "memtrace.pytest.%p.bin",
                f"quiet=1,python_allocs=all,children={children}" + (f",{more}" if more else ""))
    recorder.forget_start()
    yield


def pytest_configure(config: pytest.Config) -> None:
    for text in limits.MARKERS.values():
        config.addinivalue_line("markers", text)
    if config.getoption("memtrace") and not config.getoption("help"):
        config.pluginmanager.register(Session(config), "memtrace-session")


class Session:
    """One recorded run of tests."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.program = recorder.find_program(setting(config, "bin"))
        self.dump = recorder.dump_of_this_process()
        self.phases = recorder.Phases() if self.dump else None
        self.defaults = []
        for kind in limits.MARKERS:
            size = setting(config, kind)
            if size:
                what = "--memtrace-" + kind.replace("_", "-")
                self.defaults.append(limits.Limit(kind, None, limits.parse_size(size, what)))
        self.limits: Dict[str, List[limits.Limit]] = {}
        self.passed: List[verdict.Test] = []
        self.ran: List[str] = []
        self.broken: List[Dict[str, Any]] = []
        self.rows: List[verdict.Row] = []
        self.problems: List[str] = []
        self.dumps: List[str] = []  # dumps that contain tests

    def pytest_collection_modifyitems(self, items: List[pytest.Item]) -> None:
        for item in items:
            marks = [mark for kind in limits.MARKERS for mark in item.iter_markers(kind)]
            self.limits[item.nodeid] = limits.limits_of(marks, self.defaults, item.nodeid)

    # -- each test: a phase around its call, and others around its set-up and teardown -------------

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._phase(f"setup of {item.nodeid}")

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, None, None]:
        leaks = any(limit.kind == limits.LEAKS for limit in self.limits.get(item.nodeid, []))
        yield from self._phase(item.nodeid, collect=leaks)

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Generator[None, None, None]:
        yield from self._phase(f"teardown of {item.nodeid}")

    def _phase(self, text: str, collect: bool = False) -> Generator[None, None, None]:
        if self.phases is None:
            yield
            return
        name = recorder.Phases.name(text)
        self.phases.begin(name)
        try:
            yield
            if collect:
                gc.collect()  # Garbage in reference cycles is not a leak.
        finally:
            self.phases.end(name)

    @pytest.hookimpl(hookwrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item,
                                  call: "pytest.CallInfo[None]") -> Generator[None, Any, None]:
        outcome = yield
        if call.when != "call" or self.dump is None:
            return
        self.ran.append(item.nodeid)
        of_item = self.limits.get(item.nodeid, [])
        if outcome.get_result().passed and of_item:
            self.passed.append(verdict.Test(item.nodeid, item.location, of_item))

    # -- the end: the dump is read, and tests that broke a limit fail ------------------------------

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.ran:
            self._read()
        elif self.dump is None and self.limits:
            self.problems.append("this process is not recorded")
        output = getattr(self.config, "workeroutput", None)
        if output is not None:  # A worker of xdist: the controller reports its results.
            output["memtrace"] = {"broken": self.broken, "problems": self.problems,
                                  "rows": [list(row) for row in self.rows], "dumps": self.dumps}
            return
        for broken in self.broken:
            self._fail(broken)
        failed = self.broken or self.problems
        if failed and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def _read(self) -> None:
        assert self.dump is not None
        self.dumps.append(self.dump)
        try:
            figures = verdict.Figures(self.program, self.dump)
            self.broken += verdict.judge(figures, self.passed)
            self.rows += [figures.row(nodeid) for nodeid in dict.fromkeys(self.ran)]
        except verdict.CannotRead as error:
            self.problems.append(str(error))

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Takes the results of an xdist worker that has ended."""
        found = getattr(node, "workeroutput", {}).get("memtrace")
        if found is None:
            self.problems.append(f"worker {node.gateway.id} ended without its figures")
            return
        self.rows += [verdict.Row(*row) for row in found["rows"]]
        self.problems += [f"worker {node.gateway.id}: {text}" for text in found["problems"]]
        self.broken += found["broken"]
        self.dumps += found["dumps"]

    def _fail(self, broken: Dict[str, Any]) -> None:
        explanation = Explanation(broken["text"])
        explanation.reprcrash = SimpleNamespace(message=broken["message"])
        report = self._forget_passed(broken["nodeid"]) or pytest.TestReport(
            nodeid=broken["nodeid"], location=tuple(broken["location"]), keywords={},
            outcome="failed", longrepr=None, when="call")
        report.outcome, report.longrepr = "failed", explanation
        self.config.hook.pytest_runtest_logreport(report=report)

    def _forget_passed(self, nodeid: str) -> Optional[pytest.TestReport]:
        """Removes the report that the test passed, and returns a copy of it, or None."""
        junit.forget_passed(self.config, nodeid)
        reporter = self.config.pluginmanager.getplugin("terminalreporter")
        passed: List[pytest.TestReport] = (
            reporter.stats.get("passed", []) if reporter is not None else [])
        for report in passed:
            if report.nodeid == nodeid:
                passed.remove(report)
                return copy.copy(report)
        return None

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        top = int(setting(self.config, "top") or TABLE_ROWS)
        if self.problems:
            terminalreporter.section("memtrace: memory was not checked", red=True, bold=True)
        for problem in self.problems:
            terminalreporter.line(problem)
        if not self.rows or top == 0:
            return
        terminalreporter.section("memory of tests")
        terminalreporter.line(f"{'PEAK':>12} {'ALLOCATED':>12} {'CALLS':>12}  TEST")
        for row in sorted(self.rows, key=lambda row: (-row.peak, row.nodeid))[:top]:
            terminalreporter.line(f"{limits.human(row.peak):>12} {limits.human(row.allocated):>12} "
                                  f"{row.allocations:>12,}  {row.nodeid}")
        for dump in self.dumps:
            terminalreporter.line(f"All of it: {self.program} {dump}")


class Explanation(str):
    """The text of a failure, with its line for pytest's short summary."""

    reprcrash: SimpleNamespace
