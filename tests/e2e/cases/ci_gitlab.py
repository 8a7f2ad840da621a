"""The GitLab job installs the wheel from an index. It passes for a program without leaks and fails
for a program that leaks, with a JUnit file that reports the leak."""
import os
import xml.etree.ElementTree as ElementTree

from harness import expect, require
from workflow import bash, index, plain_environment, project, read_yaml, version


def run_job(workspace, **variables):
    job = read_yaml("integrations", "gitlab", "memtrace.gitlab-ci.yml")[".memtrace"]
    known = set(job["variables"])
    require(set(variables) <= known, f"variables that the job does not have: {variables}")
    env = plain_environment(CI="true", GITLAB_CI="true", CI_PROJECT_DIR=workspace, **index(),
                            **{**job["variables"], **variables})
    # GitLab runs both parts in one shell.
    return bash("\n".join(job["before_script"] + job["script"]), env, workspace)


def failures(workspace):
    tree = ElementTree.parse(os.path.join(workspace, "memtrace-dumps", "junit.xml"))
    return [found.get("message", "") for found in tree.iter("failure")]


def test():
    workspace = project()
    limits = "--max-leaked-bytes 0"
    green = run_job(workspace, MEMTRACE_COMMAND="./leaks", MEMTRACE_LIMITS=limits)
    expect(green.status, 0, f"exit code of a clean program ({green.stderr[-1000:]})")
    expect(failures(workspace), [], "failures of a clean program")

    red = run_job(workspace, MEMTRACE_COMMAND="./leaks keeps", MEMTRACE_LIMITS=limits)
    expect(red.status, 1, f"exit code of a leaky program ({red.stderr[-1000:]})")
    require(failures(workspace), "no failure in junit.xml")
    page = os.path.join(workspace, "memtrace-dumps", "memtrace.html")
    require(os.path.getsize(page) > 10_000, "the page of a failure")
    told = run_job(workspace, MEMTRACE_COMMAND="./leaks", MEMTRACE_LIMITS=limits,
                   MEMTRACE_VERSION=version())
    expect(told.status, 0, f"the version of this build ({told.stderr[-1000:]})")
    missing = run_job(project(), MEMTRACE_COMMAND="./leaks", MEMTRACE_VERSION="99.0")
    require(missing.status != 0 and "libmemtrace==99.0" in missing.stdout + missing.stderr,
            f"a version that does not exist: {missing.stderr}")
    expect(run_job(workspace, MEMTRACE_COMMAND="false", MEMTRACE_LIMITS=limits).status, 1,
           "a command that fails")
