"""One search for lost blocks begins while another is under way: the later one counts, whoever asked
for the earlier one gets its answer, and the program keeps no descriptor and no child of either,
although it takes orphans. A limit on the size of files ends no program."""
import os
import resource
import subprocess
import time

from harness import built, environment, expect, folder, report, require, run, shim

ENDED = "exit code of the program"


class Program:
    """tests/programs/lost_at_once.c, recorded."""

    def __init__(self, name, options):
        self.dump = os.path.join(folder(), name + ".bin")
        self.process = subprocess.Popen(
            [built("lost_at_once")], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env=environment([shim()], options=options, output=self.dump))
        self.process.stdout.readline()

    def do(self, letters):
        for letter in letters:
            self.process.stdin.write(letter.encode())
            self.process.stdin.flush()
            self.process.stdout.readline()

    def ask(self):
        return subprocess.Popen([built("../memtrace"), "lost", str(self.process.pid)],
                                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                env=environment([]))

    def belongings(self):
        """Its descriptors, and the processes that are its children or were."""
        pid = self.process.pid
        children = []
        for number in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{number}/stat") as file:
                    words = file.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            if words[1] == str(pid):
                children.append(number)
        return sorted(os.listdir(f"/proc/{pid}/fd")), children

    def end(self):
        self.process.stdin.close()
        expect(self.process.wait(timeout=60), 0, ENDED)

    def found(self):
        lost = report(self.dump, "leaks").data["lost"]
        return lost["definitely"]["blocks"], lost["searches"]


def asked_and_at_the_end():
    program = Program("asked", "lost=exit")
    program.do("t")
    asked = program.ask()
    time.sleep(0.2)
    program.do("al")  # The second look of the search that was asked for is due.
    program.end()
    said = asked.communicate(timeout=60)[0]
    expect(asked.returncode, 0, f"exit code of memtrace lost ({said})")
    definitely, searches = program.found()
    expect(definitely, 130, "blocks that are lost at the end")
    expect((searches[-1]["state"], searches[-1]["cause"], searches[-1]["copies"]),
           ("done", "work_end", 2), "the last search")


def asked_and_by_itself():
    program = Program("itself", "")
    program.do("otc")
    before = program.belongings()
    for _ in range(3):
        asked = program.ask()
        program.do("acacl")
        said = asked.communicate(timeout=60)[0]
        expect(asked.returncode, 0, f"exit code of memtrace lost ({said})")
    program.do("c")
    expect(program.belongings(), before, "descriptors and children")
    program.end()
    expect(program.found()[0], 190, "blocks that are lost")


def in_a_namespace():
    """The first child in a PID namespace is its process 1: the program itself must have it."""
    program = Program("namespace", "children=none")
    program.do("n")
    program.end()
    searches = report(program.dump, "leaks").data.get("lost", {}).get("searches", [])
    if not searches:
        return  # It may not make a namespace.
    expect([search["state"] for search in searches], ["refused"], "state in a namespace")
    require("another PID namespace" in searches[0]["why"], searches[0]["why"])


def without_descriptors():
    """What is missing is said."""
    program = Program("descriptors", "lost=exit")
    program.do("d")
    program.end()
    (search,) = report(program.dump, "leaks").data["lost"]["searches"]
    expect((search["state"], "Too many open files" in search["why"]), ("refused", True),
           f"a search without descriptors: {search['why']}")


def below_a_limit_of_files():
    """The dump may be shorter than the question to memtrace-report."""
    for limit in (100, 300, 1000, 4000):
        def restrict(bytes_max=limit << 10):
            resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_max, bytes_max))
        dump = os.path.join(folder(), f"limit-{limit}.bin")
        ended = run([built("lost_at_once")], environment([shim()], options="lost=exit",
                                                         output=dump), preexec_fn=restrict)
        expect(ended.status, 0, f"{ENDED} below {limit} KiB")
        (search,) = report(dump, "leaks").data["lost"]["searches"]
        if search["state"] == "refused":
            require("than a file may be here" in search["why"], search["why"])
        else:
            expect(search["state"], "done", f"the search below {limit} KiB")


def test():
    asked_and_at_the_end()
    asked_and_by_itself()
    in_a_namespace()
    without_descriptors()
    below_a_limit_of_files()
