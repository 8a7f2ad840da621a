"""A process that replaces its program by exec leaves a recording of each image. The last one has
the requested name, is what a report without a file reads, and is what `memtrace run` shows; its
head names the others, and theirs name it."""
import glob
import os

from harness import BUILD, PYTHON, environment, expect, folder, report, reporter, require, run, shim

KEPT = 50 * 1000000
TWICE = """
import os, sys
if "READY" not in os.environ:
    os.environ["READY"] = "1"
    os.execv(sys.executable, [sys.executable, *sys.argv])
keep = [bytearray(1000000) for _ in range(50)]
"""
OTHER_NAME = """
import os, sys
os.execv(sys.executable, [sys.executable, sys.argv[1]])
"""


def write(place, name, text):
    with open(os.path.join(place, name), "w", encoding="utf-8") as file:
        file.write(text)


def names(place):
    return sorted(name for name in os.listdir(place) if ".bin" in name)


def expect_last(place, dump, other):
    """Checks what is said about the last image without its name, and about the other one."""
    said = run([reporter(), "summary"], cwd=place)
    require(f"reading {dump}, the newest here" in said.stderr, said.stderr)
    text = " ".join(said.stdout.split())
    require(f"began as another image, which it replaced by exec. What that one allocated is not in "
            f"here, but in {other}." in text, said.stdout)
    held = report(os.path.join(place, dump)).data["spaces"]["host"]["peak_bytes"]
    require(held >= KEPT, f"the last image holds {held} bytes")
    text = " ".join(run([reporter(), "sites", other], cwd=place).stdout.split())
    require(f"went on as another image, by exec. What that one allocated is not in here, but in "
            f"{dump}." in text, text)


def test():
    place = folder()
    write(place, "train.py", TWICE)
    write(place, "start.py", OTHER_NAME)
    env = environment([shim()])
    expect(run([PYTHON, "train.py"], env, cwd=place).status, 0, "train.py")
    plain, aside = names(place)
    require(plain.startswith("memtrace.train.py.") and plain.endswith(".bin"), plain)
    require(aside.startswith(plain + ".before."), aside)
    expect_last(place, plain, aside)

    place = folder()
    write(place, "train.py", "import os\nos.environ['READY'] = '1'\n" + TWICE)
    write(place, "start.py", OTHER_NAME)
    expect(run([PYTHON, "start.py", "train.py"], env, cwd=place).status, 0, "start.py")
    start, train = names(place)
    require(start.startswith("memtrace.start.py."), start)
    expect_last(place, train, start)

    # Under a fixed name, and by the launcher, which shows the last image first.
    place = folder()
    write(place, "train.py", TWICE)
    launcher = os.path.join(os.path.abspath(BUILD), "memtrace")
    for output in ("run.bin", ""):
        fixed = environment([], output=output or None)
        ended = run([launcher, "run", "--html=p.html", "--report", "--", PYTHON, "train.py"], fixed,
                    cwd=place)
        expect(ended.status, 0, ended.stderr)
        require("is 1 dump" in ended.stderr, ended.stderr)
        text = " ".join(ended.stderr.split())
        first = text.find("began as another image")
        after = text.find("went on as another image")
        require(0 < first < after, ended.stderr)
        for file in glob.glob(os.path.join(place, "*.bin*")):
            os.remove(file)
