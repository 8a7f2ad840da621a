"""The shim can be loaded into any program: it needs only the parts of glibc, and no executable
stack. The programs need no more."""
import re

from harness import expect, reporter, require, run, shim
from launch import launcher


def test():
    dynamic = run(["readelf", "-dW", shim()]).stdout
    needed = re.findall(r"NEEDED.*\[(.*?)\]", dynamic)
    allowed = r"(libc|libm|libdl|libpthread)\.so\.\d+|ld-linux.*\.so\.\d+"
    expect([name for name in needed if not re.fullmatch(allowed, name)], [], "foreign libraries")
    for program in (reporter(), launcher()):
        needed = re.findall(r"NEEDED.*\[(.*?)\]", run(["readelf", "-dW", program]).stdout)
        expect([name for name in needed if not re.fullmatch(allowed, name)], [], program)
    require("TEXTREL" not in dynamic, "the shim has text relocations")
    require(not re.search("RPATH|RUNPATH", dynamic), "the shim has a search path of its own")
    segments = run(["readelf", "-lW", shim()]).stdout
    require(not re.search(r"GNU_STACK.*RWE", segments), "the shim asks for an executable stack")
    tls = re.findall(r"TLS +\S+ \S+ \S+ \S+ (0x\S+)", segments)
    require(all(int(size, 16) <= 80 for size in tls), f"static thread-local memory of {tls} bytes")
