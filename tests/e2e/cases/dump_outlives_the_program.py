"""The dump is enough: after the program is moved away the counts stay the same. Only names may be
missing."""
import os
import shutil

from harness import built, environment, expect, folder, report, run, shim


def test():
    where = folder()
    program, dump = shutil.copy(built("stack_of_c"), where), os.path.join(where, "dump.bin")
    expect(run([program], environment([shim()], output=dump)).status, 0, "exit status")
    before = report(dump)
    os.remove(program)
    after = report(dump)
    expect(after.host, before.host, "the totals")
    expect(len(after.sites), len(before.sites), "the number of sites")
    expect(all(site["stack"] for site in after.sites), True, "every site has a stack")
