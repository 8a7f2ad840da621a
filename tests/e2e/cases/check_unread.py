"""check: a dump that cannot be read is exit code 2, and every output for CI reports it: JUnit,
SARIF, Markdown and annotations. Other dumps are judged beside it."""
import json
import os
import xml.etree.ElementTree as xml

from checks import build, contents, dump_of
from harness import expect, folder, reporter, require, run


def look_at(dumps, tests, failures, name):
    outputs = {kind: os.path.join(folder(), "unread." + kind)
               for kind in ("junit", "sarif", "markdown")}
    found = run([reporter(), "check", *dumps, "--max-leaked-bytes", "0", "--github",
                 *(word for kind, path in outputs.items() for word in ("--" + kind, path))],
                cwd=folder())
    expect(found.status, 2, f"exit code: {found.stdout}{found.stderr}")
    suites = xml.parse(outputs["junit"]).getroot()
    expect((suites.get("tests"), suites.get("failures"), suites.get("errors")),
           (str(tests), str(failures), "1"), "tests, failures and errors of JUnit")
    error = suites.find(f".//testsuite[@name='memtrace {name}']/testcase/error")
    require(error is not None and name in error.get("message"), contents(outputs["junit"]))
    invocation = json.loads(contents(outputs["sarif"]))["runs"][0]["invocations"][0]
    expect(invocation["executionSuccessful"], False, "executionSuccessful of SARIF")
    said = [item["message"]["text"] for item in invocation["toolExecutionNotifications"]
            if item["level"] == "error"]
    expect(said, [error.get("message")], "notifications of SARIF")
    require(name + " cannot be judged" in contents(outputs["markdown"]), "Markdown")
    require("::error title=memtrace::" in found.stdout, found.stdout)


def test():
    foreign = os.path.join(folder(), "foreign.bin")
    with open(foreign, "w", encoding="utf-8") as file:
        file.write("This is no dump.")
    look_at([foreign], 1, 0, "foreign.bin")
    look_at([os.path.join(folder(), "missing.bin")], 1, 0, "missing.bin")
    _, program = build()
    look_at([dump_of(program), foreign], 3, 1, "foreign.bin")
