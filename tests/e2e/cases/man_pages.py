"""The man pages have every command and option that --help has, and groff has no complaint."""
import re
import shutil
import tempfile

from harness import expect, reporter, require, run
from launch import launcher


def words_of_help(program, *command):
    """Returns the options, and the commands, that --help lists."""
    text = run([program, *command, "--help"]).stdout
    require("{" not in text, f"the help of {command} has marks of the option parser: {text}")
    options = set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", text, re.M))
    options |= set(re.findall(r"^  (-\w),--", text, re.M))
    listed = text.partition("Subcommands:\n")[2].split("\n\n")[0]
    return options, re.findall(r"^  ([a-z]+) ", listed, re.M)


def page_of(program):
    made = run([program, "man"])
    expect((made.status, made.stderr), (0, ""), "memtrace man")
    if shutil.which("groff"):
        said = run(["groff", "-man", "-ww", "-Tutf8", "-k", "/dev/stdin"],
                   stdin=text_file(made.stdout)).stderr
        expect(said, "", "what groff says")
    return made.stdout.replace("\\-", "-")


def text_file(text):
    file = tempfile.TemporaryFile()
    file.write(text.encode())
    file.seek(0)
    return file


def test():
    page = page_of(reporter())
    options, commands = words_of_help(reporter())
    require(len(options) > 10 and len(commands) > 20, f"--help: {options} {commands}")
    for command in commands:
        require(re.search(rf"^(\.SS memtrace-report |\\fB){command}\b", page, re.M), command)
        options |= words_of_help(reporter(), command)[0]
    expect([name for name in options if f"\\fB{name}\\fR" not in page], [], "missing options")

    page = page_of(launcher())
    for command in ("run", "doctor"):
        require(f".SS memtrace {command}\n" in page, command)
        options = words_of_help(launcher(), command)[0] - {"--help", "-h"}
        expect([name for name in options if f"\\fB{name}\\fR" not in page], [], command)
    for command in commands:
        require(f"\\fB{command}\\fR" in page, command)
