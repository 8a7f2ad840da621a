"""A program reaches the driver past all hooks. If the driver reports its initialisation to the
shim, CUPTI becomes the source automatically. gpu=crosscheck counts what the hooks miss."""
import cupti
from harness import expect, require, shim


def test():
    # The driver reports nothing, so nothing is recorded.
    found = cupti.CuptiRun("gpu_loaded", "plain", "past", option="auto")
    expect((found.sources(), found.of("gpu_acquire")), ([], []), "records")
    # In a bare run the variable would load the shim, so only the run under memtrace has it.
    for option in ("auto", "cupti"):
        found = cupti.CuptiRun("gpu_loaded", "plain", "past", option=option, bare=False,
                               env={"CUDA_INJECTION64_PATH": shim()})
        expect(found.sources(), ["cupti"], "sources")
        found.expect_told()
        require("past our hooks" in found.of("gpu_source")[0]["why"], "why")
    # A program that enters in the usual way stays with the hooks.
    found = cupti.CuptiRun("gpu_loaded", "plain", "dlsym", option="auto", bare=False,
                           env={"CUDA_INJECTION64_PATH": shim()})
    expect(found.sources(), ["driver"], "sources")
    found.expect_log()
    found = cupti.CuptiRun("gpu_loaded", "virtual", "dlsym", option="crosscheck")
    expect(found.sources(), ["driver"], "sources")
    found.expect_log()
    expect(found.notes_on("gpu crosscheck"),
           [f"the hooks and CUPTI saw the same {len(found.log)} calls, with the same answers."],
           "notes")
    found = cupti.CuptiRun("gpu_loaded", "plain", "mixed", option="crosscheck")
    expect(sorted(found.notes_on("gpu crosscheck")), [
        "cuCtxCreate: the hooks saw 0 calls, CUPTI 2.",
        "cuMemAlloc: the hooks saw 0 calls, CUPTI 3.",
        "cuMemAllocManaged: the hooks saw 0 calls, CUPTI 1.",
        "cuMemAllocPitch: the hooks saw 0 calls, CUPTI 1.",
        "cuMemFree: the hooks saw 0 calls, CUPTI 2."], "notes")
    found = cupti.CuptiRun("gpu_loaded", "plain", "mixed")
    expect(found.sources(), ["cupti"], "sources")
    found.expect_told()
