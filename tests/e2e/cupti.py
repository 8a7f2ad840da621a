# As gpu.py, with a stand-in for CUPTI beside the one for the driver (tests/doubles/libcupti).
import os

import gpu
from harness import BUILD, expect, require

# What CUPTI cannot tell without asking the driver, which a callback must not do.
NOT_TOLD = {"imported": "size", "pooled": "pool"}


def folder_of(version):
    return os.path.join(BUILD, "doubles", f"libcupti.{version}")


def environment(version=13, **more):
    libraries = [gpu.DOUBLE] + ([folder_of(version)] if version else [])
    return {"LD_LIBRARY_PATH": ":".join(libraries), "CUDA_HOME": "", "CUDA_PATH": "", **more}


class CuptiRun(gpu.GpuRun):
    def __init__(self, *program, option="cupti", version=13, env=None, **more):
        super().__init__(*program, options=f"gpu={option}", check_report=False,
                         env=environment(version, **(env or {})), **more)

    def sources(self):
        return [line["backend"] for line in self.of("gpu_source")]

    def devices(self):
        return {line["device"]: (line["memory"], line["pci"], line["model"])
                for line in self.of("gpu_device")}

    def notes_on(self, subject):
        return [line["text"] for line in self.of("note") if line["subject"] == subject]

    def expect_told(self):
        """Every call that the driver granted is in the dump once, as far as CUPTI is told."""
        found, wanted = self.of(*gpu.IN_LOG), self.log
        require(wanted, "the stand-in logged nothing")
        for number, (line, logged) in enumerate(zip(found, wanted)):
            field = NOT_TOLD.get(line.get("memory"))
            if field and line.get(field) == 0:
                line[field] = logged[field]
            expect(line.logged(), logged.logged(), f"record {number}")
        expect(len(found), len(wanted), "number of records")
        return self


def story_of(run):
    """What the dump says of the driver, without addresses that differ from run to run, and without
    what a pool holds and what the driver takes for itself. Of imported memory CUPTI does not know
    the device."""
    names = {}
    lines = []
    for line in run.of(*gpu.IN_LOG, "gpu_refused"):
        fields = {key: value for key, value in line.items()
                  if key not in (*gpu.NOT_IN_LOG, NOT_TOLD.get(line.get("memory")))}
        if line.name == "gpu_refused":
            del fields["free"], fields["memory"]
        if "address" in fields:
            fields["address"] = names.setdefault(fields["address"], len(names))
        lines.append((line.name, *sorted(fields.items())))
    return lines
