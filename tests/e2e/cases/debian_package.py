"""The Debian package can be installed here, has its files where Debian wants them, names what is
linked into it, and works from where it is unpacked. Made twice, it is the same to the byte."""
import glob
import json
import os
import shutil
import subprocess
import time

from harness import BUILD, SOURCE, built, environment, expect, folder, require, run, skip

PROGRAMS = ("usr/bin/memtrace", "usr/bin/memtrace-report", "usr/lib/libmemtrace.so")
# Debug information is left out and little is compressed, so that the package is made in seconds.
QUICK = ["-D", "CPACK_DEBIAN_DEBUGINFO_PACKAGE=OFF", "-D", "CPACK_STRIP_FILES=ON",
         "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"]


def make_package(work):
    """Returns the path of the package of the programs that are tested."""
    config = os.path.join(BUILD, "CPackConfig.cmake")
    made = run(["cpack", "-G", "DEB", *QUICK, "--config", config, "-B", work],
               {**os.environ, "SOURCE_DATE_EPOCH": "1600000000"}, cwd=BUILD)
    expect(made.status, 0, f"cpack ({made.stdout[-500:]}{made.stderr[-500:]})")
    packages = glob.glob(os.path.join(work, "memtrace_*_amd64.deb"))
    expect(len(packages), 1, "packages")
    return packages[0]


def output(*words):
    ended = run(list(words), environment([]))
    expect(ended.status, 0, f"{' '.join(words)} ({ended.stderr[-500:]})")
    return ended.stdout


def check_same_bytes(package):
    time.sleep(1.1)  # so that a time of today in the package would show
    with open(package, "rb") as one, open(make_package(folder()), "rb") as two:
        require(one.read() == two.read(), "a second package has other bytes")


def check_control(package):
    fields = {line.split(": ", 1)[0]: line.split(": ", 1)[-1]
              for line in output("dpkg-deb", "--field", package).splitlines()}
    expect(fields["Package"], "memtrace", "the package's name")
    require("libc6 (>= " in fields["Depends"], f"Depends: {fields['Depends']}")
    says = subprocess.run(["dpkg", "--no-act", "--install", package], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, universal_newlines=True)
    require("dependency problems" not in says.stdout, says.stdout)


def check_files(root, package):
    """Everything belongs to root, only root may write, and only programs can be executed."""
    for line in output("dpkg-deb", "--contents", package).splitlines():
        mode, owner = line.split()[:2]
        path = line.split("./", 1)[1]
        expect(owner, "root/root", f"the owner of {path}")
        require("w" not in mode[3:], f"{path} may be written by others: {mode}")
        require(path.startswith("usr/"), f"{path} is not below /usr")
        if not path.endswith("/"):
            expect("x" in mode, path.startswith("usr/bin/"), f"{path} can be executed")
    for path in (*PROGRAMS, "usr/share/man/man1/memtrace.1.gz",
                 "usr/share/man/man1/memtrace-report.1.gz", "usr/share/doc/memtrace/copyright",
                 "usr/include/memtrace/memtrace.h"):
        require(os.path.isfile(os.path.join(root, path)), f"{path} is missing")
    for path in PROGRAMS:
        sections = output("readelf", "--wide", "--sections", os.path.join(root, path))
        require(".debug_info" not in sections, f"{path} has its debug information")


def check_contents(root):
    """Each library that is linked has its version and its licence in the list, and its text."""
    texts = os.path.join(root, "usr/share/doc/memtrace")
    with open(os.path.join(texts, "memtrace.spdx.json")) as file:
        listed = {package["name"]: package for package in json.load(file)["packages"]}
    with open(os.path.join(texts, "copyright")) as file:
        licences = file.read()
    with open(os.path.join(SOURCE, "packaging", "linked.json")) as file:
        linked = [row["name"] for row in json.load(file)]
    for name in linked:
        require(listed[name]["versionInfo"], f"no version of {name}")
        require(name in licences, f"no licence of {name}")


def check_use(root):
    """The programs find each other where they lie, and memtrace records and reports."""
    memtrace = os.path.join(root, "usr/bin/memtrace")
    work = folder()
    ended = run([memtrace, "run", "--report", "-o", "of_package.bin", "--", built("stack_of_c")],
                environment([]), cwd=work)
    require(ended.status == 0 and "stack_of_c" in ended.stderr, ended.stderr)
    report = os.path.join(root, "usr/bin/memtrace-report")
    document = json.loads(output(report, "--json", "-", os.path.join(work, "of_package.bin")))
    expect(document["capture"]["lost_events"], 0, "lost events")


def test():
    for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps", "readelf"):
        if not shutil.which(tool):
            skip(f"{tool} is not installed")
    if not os.path.exists(os.path.join(BUILD, "CPackConfig.cmake")):
        skip("the build was configured without MEMTRACE_PACKAGE")
    package, root = make_package(folder()), folder()
    output("dpkg-deb", "--extract", package, root)
    check_control(package)
    check_files(root, package)
    check_contents(root)
    check_use(root)
    check_same_bytes(package)
