"""Each version of CUPTI is subscribed to in its own way. A version newer than the driver is not
used. Without CUPTI the hooks of the driver are the source, and the dump says why."""
import ctypes.util

import cupti
from harness import expect, require, skip


def test():
    for library, version, driver in ((12, 18, 12000), (12, 26, 12080), (13, 130001, 13000),
                                     (13, 130200, 13020), (13, 130300, 13030)):
        found = cupti.CuptiRun("gpu_linked", "plain", version=library,
                               env={"CUPTI_DOUBLE_VERSION": str(version),
                                    "CUDA_DOUBLE_DRIVER": str(driver)})
        expect(found.sources(), ["cupti"], f"sources with version {version}")
        found.expect_told()
    everywhere = ctypes.util.find_library("cupti")
    if everywhere and not everywhere.endswith(".13"):
        skip(f"the loader finds {everywhere} everywhere here: how it is without cannot be shown")
    for library in (None, 13):
        found = cupti.CuptiRun("gpu_linked", "plain", version=library,
                               env={"CUDA_DOUBLE_DRIVER": "12040"})
        expect(found.sources(), ["driver"], "sources")
        found.expect_log()
        expect(found.notes_on("gpu source"), [
            "gpu=cupti, but there is no libcupti: the hooks of the driver's functions stay the "
            "source."], "notes")
        require(found.of("gpu_source")[0]["why"].startswith("gpu=cupti, but"), "why")
