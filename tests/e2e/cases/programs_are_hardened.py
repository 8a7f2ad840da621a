"""The programs have read-only relocations, a random place and no executable stack. Their code is
checked, too: frames by a stack protector, copies by _FORTIFY_SOURCE, and every target of an
indirect jump is marked. The shim has no check that could end a program."""
import os
import re

from harness import BUILD, expect, reporter, require, run, shim
from launch import launcher


def readelf(option, path):
    return run(["readelf", option, path]).stdout


def has_sanitizer():
    """True if the build is one with a sanitizer (cmake/hardening.cmake)."""
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as file:
        sanitize = re.search(r"^MEMTRACE_SANITIZE:\w+=(.*)$", file.read(), re.M)
    return bool(sanitize and sanitize[1])


def own_functions(path):
    """Yields the name and the code of each function of memtrace's own. Libraries of others in the
    same file are as their distribution built them."""
    code = run(["objdump", "-dC", "--no-show-raw-insn", path], timeout=300).stdout
    for function in re.split(r"\n\n(?=[0-9a-f]+ <)", code):
        name = function.partition("\n")[0]
        if "<memtrace::" in name or "<main>" in name or "<malloc>" in name:
            yield name, function


def test():
    for path in (reporter(), launcher(), shim()):
        segments, dynamic = readelf("-lW", path), readelf("-dW", path)
        require("GNU_RELRO" in segments, f"{path}: no relro")
        require("BIND_NOW" in dynamic, f"{path}: lazy binding")
        require(re.search(r"GNU_STACK.* RW ", segments), f"{path}: an executable stack")
        require("TEXTREL" not in dynamic, f"{path}: text relocations")
        expect(re.search(r"Type:\s+(\w+)", readelf("-hW", path))[1], "DYN", f"{path}: its type")
    for path in (reporter(), launcher()):
        require("PIE" in readelf("-dW", path), f"{path}: no PIE")
    if has_sanitizer():
        return
    for path, has_checks in ((reporter(), True), (launcher(), True), (shim(), False)):
        functions = dict(own_functions(path))
        require(functions, f"{path}: no function of its own is named")
        checked = [name for name, code in functions.items() if "<__stack_chk_fail@" in code]
        expect(bool(checked), has_checks, f"{path}: stack protectors in {checked[:3]}")
        marked = [name for name, code in functions.items() if "endbr64" in code]
        require(len(marked) > len(functions) / 4, f"{path}: {len(marked)} marked targets")
