"""gpu=cupti: the dump is the one that the hooks of the driver would have written, except for what
CUPTI does not report. The same holds if each call of the driver lies inside a runtime call and
contains another call."""
import cupti
from harness import expect, require

STORIES = ("plain", "pinned", "virtual", "pools", "arrays", "others", "contexts", "graphs",
           "captured", "refused", "failed_free")


def test():
    for story in STORIES:
        by_hooks = cupti.CuptiRun("gpu_linked", story, option="driver")
        expect(by_hooks.sources(), ["driver"], "sources")
        for nested in ("", "1"):
            found = cupti.CuptiRun("gpu_linked", story, env={"CUPTI_DOUBLE_NESTED": nested})
            expect(found.sources(), ["cupti"], f"{story}: sources")
            found.expect_told()
            for line in found.of("gpu_acquire"):
                require(line["stack"] != 0, f"{story}: no stack: {line}")
            expect(cupti.story_of(found), cupti.story_of(by_hooks), f"{story}, nested: {nested}")
            require(found.devices().items() <= by_hooks.devices().items(), f"{story}: devices")
            expect(found.notes(), by_hooks.notes(), f"{story}: notes")
    found = cupti.CuptiRun("gpu_linked", "race")
    expect(found.sources(), ["cupti"], "sources")
    expect(len(found.of("gpu_acquire")), 600, "acquisitions by two threads")
    expect(len(found.of("gpu_release")), 600, "releases")
