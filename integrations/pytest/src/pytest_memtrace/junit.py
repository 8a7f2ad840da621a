"""Keeps one testcase per test in JUnit XML, also if the test passed first and failed later."""
import pytest


def forget_passed(config: pytest.Config, nodeid: str) -> None:
    """Removes the testcase of a passed test from the report that pytest will write. pytest has no
    public function for it. If its internals differ, the test is listed twice: passed and failed."""
    try:
        from _pytest.junitxml import mangle_test_address, xml_key
        log = config.stash.get(xml_key, None)
        if log is None:
            return
        names = ([log.prefix] if log.prefix else []) + mangle_test_address(nodeid)
        wanted = ".".join(names[:-1]), names[-1]
        for reporter in log.node_reporters_ordered:
            case = reporter.to_xml()
            if (case.get("classname"), case.get("name")) == wanted and case.find("failure") is None:
                log.node_reporters_ordered.remove(reporter)
                log.stats["passed"] -= 1
                return
    except (ImportError, AttributeError, KeyError):
        return
