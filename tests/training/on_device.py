# SPDX-License-Identifier: Apache-2.0
"""Builds what puts a training's tensors into PyTorch's own caching allocator of CUDA memory, on the
doubles of CUDA's libraries (tests/torch/device_tensors.cpp)."""
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess

import runner

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DEVICE_BYTES = 16 << 30


def torch_allocator():
    """Returns the script scripts/measure/torch-allocator as a module."""
    path = str(ROOT / "scripts/measure/torch-allocator")
    loader = importlib.machinery.SourceFileLoader("torch_allocator", path)
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def version_of(python):
    """Returns the version of an interpreter's PyTorch, without its build: "2.13.0"."""
    program = "import importlib.metadata as m; print(m.version('torch').split('+')[0])"
    return subprocess.run([python, "-c", program], capture_output=True, text=True,
                          check=True).stdout.strip()


def prepare(python, build, cache, offline, times=1):
    """Returns the variables for a program whose tensors shall lie on a device, and ask there for so
    many times the bytes that they need. Downloads PyTorch's CUDA wheel (530 MB) if a file of it is
    missing and `offline` is false. Raises NotHere."""
    build, cache = pathlib.Path(build).resolve(), pathlib.Path(cache).resolve()
    allocator, version = torch_allocator(), version_of(python)
    try:
        torch, headers = allocator.find(cache, version, offline)
    except allocator.Missing as reason:
        raise runner.NotHere(str(reason)) from None
    # A folder of its own: the program's PyTorch has a libc10.so, and must find no other.
    folder = cache / f"device-{version}" / "site-packages"
    folder.mkdir(parents=True, exist_ok=True)
    # Another run may have these files open, so they are replaced and not written again.
    shutil.copy(os.path.join(torch, "lib", "libc10_cuda.so"), folder / f"cuda.{os.getpid()}")
    os.replace(folder / f"cuda.{os.getpid()}", folder / "libc10_cuda.so")
    doubles = build / "doubles"
    libraries = [folder / "libc10_cuda.so", os.path.join(torch, "lib", "libc10.so"),
                 doubles / "libcudart" / allocator.runtime_of(torch)]
    library, fresh = folder / "libdevice_tensors.so", folder / f"tensors.{os.getpid()}"
    subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-shared", "-fPIC",
                    f"-D_GLIBCXX_USE_CXX11_ABI={allocator.string_abi_of(torch)}",
                    f"-I{torch}/include", f"-isystem{headers}",
                    ROOT / "tests/torch/device_tensors.cpp", "-o", fresh, *libraries], check=True)
    os.replace(fresh, library)
    paths = [doubles / "libcuda", doubles / "libcudart", folder]
    return {"LD_LIBRARY_PATH": ":".join(map(str, paths)), "CUDA_DOUBLE_MEMORY": str(DEVICE_BYTES),
            "MEMTRACE_DEVICE_TENSORS": str(library), "MEMTRACE_DEVICE_TIMES": str(times)}
