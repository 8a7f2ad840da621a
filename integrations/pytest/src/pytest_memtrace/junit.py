"""One test is one testcase of JUnit XML, also where it passed first and was judged later."""
import pytest


def forget_passed(config: pytest.Config, nodeid: str) -> None:
    """Takes the testcase of a test that passed out of the report to come. pytest has no public way;
    where its own is not as we know it, the test stands there twice: passed, and failed."""
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
