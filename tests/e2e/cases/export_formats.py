"""Files for pprof, speedscope and flame graphs: each adds up to the JSON of the same recording, by
space and to the byte, with every filter, from a dump and from its profile. Names that could end a
field, a line or a string do not. A file appears as a whole or not at all."""
# slow
import importlib.util
import json
import os
import re
import shutil
import subprocess

from harness import PYTHON, expect, folder, report, reporter, require, run, trace
from pprof import Profile

PROGRAM = r'''
import threading

KEPT = []
NAMES = ["a;b", "line\nfeed", 'quote"and\\', "</script><img src=x onerror=alert(1)>", "\x1b[2Jred",
         "ends with a 12", "tab\there", "\x9b31m", "na\u00efve", "x" * 100_000]


def keep(count):
    KEPT.append([bytearray(1000 + i) for i in range(count)])


def churn(count):
    for i in range(count):
        bytearray(5000)


def hostile(name):
    code = compile("def f(kept):\n    kept.append(bytearray(700))\n", name, "exec")
    inner = next(part for part in code.co_consts if hasattr(part, "co_name"))
    names = {"co_name": name}
    if hasattr(inner, "co_qualname"):
        names["co_qualname"] = name
    kept = type(hostile)(inner.replace(**names), {})
    kept(KEPT)


def recurse(depth):
    if depth:
        return recurse(depth - 1)
    KEPT.append(bytearray(3333))


for name in NAMES:
    hostile(name)
keep(200)
churn(300)
recurse(80)
thread = threading.Thread(target=keep, args=(50,))
thread.start()
thread.join()
KEPT[0] = None
'''
FIELDS = {"peak": "at_peak_bytes", "allocated": "allocated_bytes", "calls": "allocations"}
TYPES = {"peak": "peak_space", "held": "inuse_space", "allocated": "alloc_space",
         "calls": "alloc_objects"}
TITLES = {"peak": "at the peak", "held": "held at the end", "allocated": "allocated",
          "calls": "calls"}
MIDDLE = "the middle of the run"
SELECTIONS = [[], ["--own"], ["--python-only"], ["--function", "keep"],
              ["--module", "libc.so*"], ["--file", "program.py"], ["--from", "0.001s"],
              ["--to", MIDDLE, "--own"], ["--min", "10%"], ["--min", "5K"],
              ["--all-frames", "--interpreter-frames"]]


def export(dump, *words, status=0):
    ended = run([reporter(), "export", *map(str, words), dump])
    expect(ended.status, status, f"export {words}: {ended.stderr}")
    return ended


def wanted(dump, words, space):
    """Returns the totals of a space that the JSON's call sites add up to."""
    plain = [word for word in words if word not in ("--min", "10%", "5K", "--all-frames")]
    found = report(dump, "sites", plain)
    has_end = found.program["work_end_ns"] is not None
    fields = {**FIELDS, "held": "held_bytes" if has_end else "leaked_bytes"}
    return {measure: sum(site[field] for site in found.sites_of(space))
            for measure, field in fields.items()}


def collapsed_sums(path):
    sums = {}
    with open(path, encoding="utf-8", newline="\n") as file:
        for line in file:
            stack, value = line.rstrip("\n").rsplit(" ", 1)
            require(re.fullmatch(r"[^\x00-\x1f\x7f-\x9f]+", stack), f"control characters: {line!r}")
            require(not re.search(r"\s\d+(\.\d*)?$", stack), f"two numbers: {line[:200]!r}")
            space = stack.split(";")[0]
            sums[space] = sums.get(space, 0) + int(value)
    return sums


def speedscope_sums(path):
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    frames = data["shared"]["frames"]
    for profile in data["profiles"]:
        expect(sum(profile["weights"]), profile["endValue"], profile["name"])
        require(all(0 <= frame < len(frames) for sample in profile["samples"] for frame in sample),
                "every frame is in the list")
    return {profile["name"].replace(" (estimated)", ""): sum(profile["weights"])
            for profile in data["profiles"]}


def check_selection(dump, place, words):
    paths = {name: os.path.join(place, name) for name in ("pprof", "speedscope")}
    for name, path in paths.items():
        export(dump, "--format", name, "-o", path, *words)
    profile, speedscope = Profile(paths["pprof"]), speedscope_sums(paths["speedscope"])
    collapsed = {}
    for measure in TYPES:
        path = os.path.join(place, "collapsed")
        export(dump, "--format", "collapsed", "--measure", measure, "-o", path, *words)
        collapsed[measure] = collapsed_sums(path)
    for space in report(dump).data["spaces"]:
        totals = wanted(dump, words, space)
        sums = profile.sums(space)
        for measure, total in totals.items():
            what = f"{space}, {measure} with {words}"
            expect(sums[TYPES[measure]], total, f"pprof: {what}")
            expect(speedscope.get(f"{space}, {TITLES[measure]}", 0), total, f"speedscope: {what}")
            expect(collapsed[measure].get(space, 0), total, f"collapsed: {what}")
    return profile


def check_frames(profile, program):
    """The frames of pprof have names, lines and mappings."""
    lines = {(frame[0], frame[2], frame[3]) for _, frames, _ in profile.samples
             for frame in frames}
    require(any(name == "keep" and file == program and line > 0 for name, file, line in lines),
            "Python functions have their file and line")
    require(profile.mappings[0][0].startswith(os.path.dirname(PYTHON)), "the program comes first")
    require(any(id for _, id in profile.mappings), "build-ids")
    expect(profile.types[-1], ("peak_space", "bytes"), "the last type")
    expect(profile.default, "peak_space", "the default type")
    for text in profile.strings:
        require(not re.search(r"[\x00-\x1f\x7f-\x9f]", text), f"control characters: {text!r}")
        require(len(text) <= 1000, "long names are cut")


def check_places(dump, place):
    """Where files go, and what happens if they cannot."""
    for name, suffix in (("pprof", ".pb.gz"), ("speedscope", ".speedscope.json"),
                         ("collapsed", ".collapsed.txt")):
        ended = export(dump, "--format", name)
        path = dump[:-len(".bin")] + suffix
        require(os.path.getsize(path) > 0, f"{path} is written")
        expect(ended.stdout, "", "standard output")
        require(path in ended.stderr, f"{path} is said: {ended.stderr}")
        again = subprocess.run([reporter(), "export", "--format", name, "-o", "-", dump],
                               stdout=subprocess.PIPE, check=True)
        with open(path, "rb") as file:
            require(file.read() == again.stdout, f"{name} on standard output is the same")
    export(dump, "-o", os.path.join(place, "by_suffix.pb.gz"))
    require(Profile(os.path.join(place, "by_suffix.pb.gz")).samples, "the suffix tells the format")
    for words, sentence in ((["--format", "perf"], "there is no such format"),
                            ([], "--format is missing"),
                            (["--format", "pprof", "--measure", "blocks"], "choose peak"),
                            (["--format", "pprof", "--json", "-"], "JSON of sites"),
                            (["--format", "pprof", "--space", "device:9"], "it has: host"),
                            (["--format", "pprof", "-o", dump], "the recording itself"),
                            (["--format", "pprof", "-o", "/dev/full"], "cannot write"),
                            (["--format", "pprof", "-o", place + "/no/file"], "cannot write"),
                            (["--format", "pprof", "-o", "x", dump], "a file of its own")):
        ended = export(dump, *words, status=2)
        require(sentence in ended.stderr, f"{words}: {ended.stderr}")
    expect([name for name in os.listdir(place) if name.endswith(".new")], [], "unfinished files")


def check_other_readers(dump, place):
    """Readers of others, if they are on this machine."""
    if shutil.which("go"):
        path = os.path.join(place, "go.pb.gz")
        export(dump, "--format", "pprof", "-o", path, "--space", "host")
        top = subprocess.run(["go", "tool", "pprof", "-top", "-unit=B", "-sample_index=peak_space",
                              path], stdout=subprocess.PIPE, text=True, check=True).stdout
        total = int(re.search(r"of (\d+)B total", top).group(1))
        expect(total, wanted(dump, [], "host")["peak"], "the total of go tool pprof")
    path = os.path.join(place, "flame")
    export(dump, "--format", "collapsed", "-o", path)
    total = sum(collapsed_sums(path).values())
    with open(path, encoding="utf-8") as file:
        text = file.read()
    drawn = []
    for drawer in ("inferno-flamegraph", "flamegraph.pl"):
        if shutil.which(drawer):
            drawn.append(subprocess.run([drawer], input=text, stdout=subprocess.PIPE, text=True,
                                        check=True).stdout)
    if importlib.util.find_spec("pyinferno"):  # inferno, as a package of PyPI
        pyinferno = importlib.import_module("pyinferno")
        drawn.append(pyinferno.flamegraph_from_lines(text.splitlines()))
    for picture in drawn:
        found = re.search(r"<title>all \(([\d,]+)", picture).group(1)
        expect(int(found.replace(",", "")), total, "the total of a flame graph")


def test():
    cwd, place = folder(), folder()
    program = os.path.join(cwd, "program.py")
    with open(program, "w") as file:
        file.write(PROGRAM)
    traced = trace([PYTHON, program], cwd=cwd)
    dump = shutil.copy(traced.dumps[0], os.path.join(place, "run.bin"))
    middle = f"{report(dump).program['duration_ns'] // 2}ns"
    for selection in SELECTIONS:
        words = [middle if word == MIDDLE else word for word in selection]
        profile = check_selection(dump, place, words)
        if not words:
            check_frames(profile, program)
    check_places(dump, place)
    check_other_readers(dump, place)
    profile = os.path.join(place, "run.profile")
    expect(run([reporter(), "profile", dump, "-o", profile]).status, 0, "profile")
    files = [os.path.join(place, name) for name in ("a.collapsed.txt", "b.collapsed.txt")]
    export(dump, "-o", files[0])
    export(profile, "-o", files[1])
    texts = [open(path).read().splitlines() for path in files]
    expect(sorted(texts[1]), sorted(texts[0]), "the file of the profile")
    threads = trace("filtered_threads").dumps[0]
    check_selection(threads, place, ["--thread", "loader*", "--own"])
    marked = trace("phases_of_program").dumps[0]
    for phase in [part["name"] for part in report(marked, "phases").data["phases"]]:
        check_selection(marked, place, ["--phase", phase])
