"""gpu=off records nothing of the driver, and the option in the dump says so; the program is
unchanged. gpu=runtime records nothing of a program that calls the driver itself."""
import gpu
from harness import expect, require


def test():
    for story, way in (("plain", None), ("pinned", None), ("plain", "new"), ("plain", "dlsym")):
        program = ["gpu_loaded", story, way] if way else ["gpu_linked", story]
        found = gpu.GpuRun(*program, options="gpu=off", check_report=False)
        expect(found.of(*gpu.IN_LOG, "gpu_device", "gpu_pool"), [], "records")
        expect(found.of("gpu_source"), [], "source")
        options = {line["key"]: line["value"] for line in found.of("option")}
        expect(options["gpu"], "off", "option")
        maps = [line for line in found.of("map") if line["purpose"] == "gpu_driver"]
        expect(maps, [], "mappings of the driver")
    found = gpu.GpuRun("gpu_linked", "plain", options="gpu=runtime", check_report=False)
    expect([line["backend"] for line in found.of("gpu_source")], ["runtime"], "source")
    expect(found.of(*gpu.IN_LOG), [], "records")
    found = gpu.GpuRun("gpu_linked", "plain", options="gpu=driver", check_report=False)
    found.expect_log().expect_source()
    require(found.of("gpu_source")[0]["why"] == "gpu=driver", "why")
