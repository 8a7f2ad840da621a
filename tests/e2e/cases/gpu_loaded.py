"""A program that loads CUDA's driver and looks up its functions in one of several ways: the dump
is the same, and the functions that the program gets work like those it would get without
memtrace."""
import gpu

WAYS = ("dlsym", "default", "old", "new", "inside")
STORIES = ("plain", "virtual", "pools", "contexts", "captured")


def test():
    for way in WAYS:
        for story in STORIES if way in ("dlsym", "new") else STORIES[:1]:
            found = gpu.GpuRun("gpu_loaded", story, way, check_report=False)
            found.expect_log().expect_source()
