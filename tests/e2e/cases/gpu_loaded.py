"""A program that loads CUDA's driver, and asks for its functions in one way or another: the dump is
the same, and what the program is given works as what it would have been given without memtrace."""
import gpu

WAYS = ("dlsym", "default", "old", "new", "inside")
STORIES = ("plain", "virtual", "pools", "contexts", "captured")


def test():
    for way in WAYS:
        for story in STORIES if way in ("dlsym", "new") else STORIES[:1]:
            found = gpu.GpuRun("gpu_loaded", story, way, check_report=False)
            found.expect_log().expect_source()
