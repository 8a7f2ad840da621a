# The parts of an end-to-end test: run a program bare and under memtrace, get the report, compare.
#
#   report = trace("free_on_other_thread")        runs tests/programs/free_on_other_thread
#   expect(report.host["leaked_blocks"], 1)
#
# trace() itself checks what must always hold: the same stdout and the same end as without memtrace,
# nothing of memtrace on stdout, at most one line on stderr, a whole dump, nothing lost, no anomaly.
import difflib
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile

import oracle

FIELDS = oracle.ROW
BUILD = os.path.abspath(os.environ.get("MEMTRACE_BUILD", "build/dev"))
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The executable itself, because a wrapper script would be traced too.
PYTHON = os.path.realpath(sys.executable)
SLOW = 4 if os.environ.get("CI") else 2  # factor by which a busy machine may be slower than usual


class Failed(Exception):
    """An expectation was not met."""


class Skipped(Exception):
    """The test cannot judge anything on this machine. The reason is printed."""


def skip(reason):
    raise Skipped(reason)


def expect(found, wanted, what="value"):
    if found == wanted:
        return
    texts = [str(value).replace("\\n", "\n") for value in (wanted, found)]
    if max(map(len, texts)) < 500:
        raise Failed(f"{what}: expected {wanted!r}, found {found!r}")
    lines = difflib.unified_diff(*(text.splitlines() for text in texts), "expected", "found", n=1,
                                 lineterm="")
    raise Failed("\n".join([f"{what}:", *lines][:60]))


def require(condition, sentence):
    if not condition:
        raise Failed(sentence)


def shim():
    return os.path.join(BUILD, "libmemtrace.so")


def reporter():
    return os.path.join(BUILD, "memtrace-report")


def built(name):
    """Returns the path of a program or library of tests/programs, or of the oracle."""
    path = os.path.join(BUILD, "programs", name)
    require(os.path.exists(path), f"{path} is not built")
    return path


_folders = []


def folder():
    """Returns a new folder, which is removed after the test."""
    _folders.append(tempfile.mkdtemp(prefix="memtrace-e2e-"))
    return _folders[-1]


def clean_up():
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)


def command_of(program, arguments=()):
    """Returns a command line. A name is a program of tests/programs; a list stays as it is."""
    if isinstance(program, (list, tuple)):
        return [str(part) for part in program]
    script = os.path.join(SOURCE, "tests", "programs", program + ".py")
    start = [PYTHON, script] if os.path.exists(script) else [built(program)]
    return start + [str(argument) for argument in arguments]


class Ended:
    """The end of a process: status as in subprocess (negative: a signal), stdout and stderr."""

    def __init__(self, status, stdout, stderr):
        self.status, self.stdout, self.stderr = status, stdout, stderr

    def lines_of_memtrace(self):
        return [line for line in self.stderr.splitlines() if line.startswith("memtrace")]

    def stderr_of_program(self):
        return [line for line in self.stderr.splitlines() if not line.startswith("memtrace")]


def find_torch():
    """Returns a Python that has torch."""
    found = subprocess.run([os.path.join(SOURCE, "scripts", "find-torch")], stdout=subprocess.PIPE,
                           stderr=subprocess.PIPE, text=True)
    return found.stdout.strip() if found.returncode == 0 else skip(found.stderr.strip())


def run(command, env=None, cwd=None, timeout=60, stdin=None, **more):
    """Runs a command in its own session. A hang is a failure, and leaves no process behind."""
    stdout = more.pop("stdout", subprocess.PIPE)
    process = subprocess.Popen(command, env=env, cwd=cwd, stdin=stdin or subprocess.DEVNULL,
                               stdout=stdout, stderr=more.pop("stderr", subprocess.PIPE),
                               start_new_session=True, **more)
    try:
        out, err = process.communicate(timeout=timeout * SLOW)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        raise Failed(f"still running after {timeout * SLOW} s: {' '.join(command)}") from None
    text = [(part or b"").decode(errors="replace") for part in (out, err)]
    return Ended(process.returncode, *text)


def environment(preload, env=None, options="", output=None):
    """Returns this process's environment without memtrace's variables, plus those of the test."""
    clean = {key: value for key, value in os.environ.items()
             if key not in ("LD_PRELOAD", "PYTHONMALLOC") and not key.startswith("MEMTRACE_")}
    if preload:
        clean["LD_PRELOAD"] = ":".join(preload)
    if output:
        clean["MEMTRACE_OUTPUT"] = output
    if options:
        clean["MEMTRACE_OPTIONS"] = options
    clean.update(env or {})
    return clean


def report(dump, command="sites", arguments=(), status=0):
    """Returns the parsed JSON of memtrace-report COMMAND. None allows any documented status."""
    ended = run([reporter(), command, "--json", "-", *map(str, arguments), dump])
    wanted = (0, 1, 2, 3) if status is None else (status,)
    if ended.status not in wanted:
        problems = json.loads(ended.stdout)["problems"] if ended.stdout[:1] == "{" else ended.stdout
        raise Failed(f"memtrace-report {command} ended with {ended.status}, not {wanted}: "
                     f"{ended.stderr.strip()} {problems}")
    return Report(dump, json.loads(ended.stdout))


class Report:
    """The report of one dump."""

    def __init__(self, dump, data):
        self.dump, self.data = dump, data
        self.program, self.capture = data["program"], data["capture"]
        self.problems, self.sites = data["problems"], data["sites"]

    def space(self, name):
        found = self.data["spaces"].get(name, {})
        return {"allocations": found.get("allocations", 0), "frees": found.get("frees", 0),
                "bytes": found.get("allocated_bytes", 0),
                "leaked_blocks": found.get("leaked_blocks", 0),
                "leaked_bytes": found.get("leaked_bytes", 0)}

    @property
    def host(self):
        return self.space("host")

    def sites_of(self, space="host", own=False, function=None):
        """Returns the sites of a space; if requested, only of own code or with this function."""
        return [site for site in self.sites if site["space"] == space
                and (not own or is_own(site)) and (not function or has_function(site, function))]

    def sum(self, space="host", **which):
        sites = self.sites_of(space, **which)
        total = {field: sum(site[key] for site in sites) for field, key in (
            ("allocations", "allocations"), ("bytes", "allocated_bytes"),
            ("leaked_blocks", "leaked_blocks"), ("leaked_bytes", "leaked_bytes"))}
        return {**total, "frees": total["allocations"] - total["leaked_blocks"]}

    @property
    def own(self):
        return self.sum(own=True)

    def notes(self):
        return json.dumps(self.data.get("notes", [])) + json.dumps(self.problems)


def function_of(frame):
    return frame["function"].split("(")[0].split("<")[0].strip()


def has_function(site, name):
    return any(function_of(frame) == name for frame in site["stack"])


def is_own(site):
    """True if the program's own code made the request, directly or through operator new."""
    for frame in site["stack"]:
        if frame["function"].startswith("operator new") or "libmemtrace" in frame["module"]:
            continue
        name = os.path.basename(frame["module"])
        return name != "" and os.path.exists(os.path.join(BUILD, "programs", name))
    return False


class Traced:
    """A run under memtrace: its end, the report of its dump, and the reports of its children."""

    def __init__(self, ended, bare, cwd, base):
        self.ended, self.bare, self.cwd = ended, bare, cwd
        self.stdout, self.stderr, self.status = ended.stdout, ended.stderr, ended.status
        # The first process first. Its dump from before an exec is dump.bin.before.<pid>.
        self.dumps = sorted(glob.glob(glob.escape(base) + "*"),
                            key=lambda path: (".before." not in path, path != base, path))
        self._reports = {}

    def report_of(self, dump, status=0):
        if dump not in self._reports:
            self._reports[dump] = report(dump, status=status)
        return self._reports[dump]

    @property
    def main(self):
        require(self.dumps, f"there is no dump; stderr: {self.stderr}")
        return self.report_of(self.dumps[0])

    @property
    def children(self):
        return [self.report_of(dump) for dump in self.dumps[1:]]

    def __getattr__(self, name):  # host, own, sites, capture … of the first process
        return getattr(self.main, name)


def trace(program, *arguments, options="", before=(), after=(), env=None, bare=True, whole=True,
          same_stderr=True, check_report=True, timeout=60, **more):
    """Runs a program bare and under memtrace, and compares the two runs.

    before, after   libraries preloaded in front of memtrace and behind it, in both runs
    whole           the dump of the process must be without any problem
    more            arguments of subprocess.Popen: cwd, stdout, preexec_fn …
    """
    command = command_of(program, arguments)
    others = [built(name + ".so") for name in before], [built(name + ".so") for name in after]
    plain = None
    if bare:
        cwd = more.get("cwd") or folder()
        plain = run(command, environment(sum(others, []), env), timeout=timeout,
                    **{**more, "cwd": cwd})
        if plain.status == 77:
            skip(plain.stderr.strip())
    cwd = more.pop("cwd", None) or folder()
    base = os.path.join(folder(), "dump.bin")
    preload = [*others[0], shim(), *others[1]]
    ended = run(command, environment(preload, env, options, base), timeout=timeout * 3, cwd=cwd,
                **more)
    traced = Traced(ended, plain, cwd, base)
    if plain:
        expect(ended.status, plain.status, f"exit status (stderr: {ended.stderr[-2000:]})")
        expect(ended.stdout, plain.stdout, "stdout")
        if same_stderr:
            expect(ended.stderr_of_program(), plain.stderr_of_program(), "stderr of the program")
    if check_report and traced.dumps:
        for dump in traced.dumps:
            check_capture(traced.report_of(dump, status=0 if whole else None))
    return traced


def check_capture(found):
    """Checks what holds for every recording: nothing lost, no anomaly, and sites that add up."""
    expect(found.capture["lost_events"], 0, "lost events")
    expect(found.capture["anomalies"], 0, "anomalies")
    expect(found.problems, [], "problems")
    for space in found.data["spaces"]:
        total, by_site = found.space(space), found.sum(space)
        for field in ("allocations", "bytes", "leaked_blocks", "leaked_bytes"):
            expect(by_site[field], total[field], f"sum over the sites of {space}, {field}")


def trace_with_oracle(program, *arguments, after=(), env=None, **more):
    """Does the same with the oracle counting too. Returns the run and pairs of (report, counts)."""
    base = os.path.join(folder(), "oracle")
    traced = trace(program, *arguments, after=[*after, "liboracle"],
                   env={**(env or {}), "ORACLE_OUTPUT": base}, **more)
    # The bare run was counted as well. Only processes that left a dump matter here.
    reports = {dump: traced.report_of(dump) for dump in traced.dumps}
    pairs = []
    for found in reports.values():
        counts = [count for count in oracle.read(base) if count.pid == found.program["pid"]]
        pairs.append((found, counts))
    return traced, pairs


def expect_oracle(found, counts):
    """Checks that the totals equal an oracle's count of that process (exec adds a count)."""
    require(counts, f"the oracle has not seen process {found.program['pid']}")
    wanted = [{field: count.all[field] for field in FIELDS} for count in counts]
    require(found.host in wanted, f"the report says {found.host}, the oracle {wanted}")
