# Like gpu.py, with a stand-in for CUPTI (tests/doubles/libcupti) beside that for the driver.
import os

import gpu
from harness import BUILD, expect, require

# Fields that CUPTI cannot provide without a call to the driver, which a callback must not make.
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
        """Checks that every granted call is in the dump once, as far as CUPTI reports it."""
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
    """Returns the driver's records without addresses that differ from run to run, and without what
    a pool holds and what the driver takes for itself. CUPTI does not know the device of imported
    memory."""
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
