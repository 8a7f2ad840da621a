# run: manual
# Python calls CUDA's driver through ctypes, which loads it with local visibility (RTLD_LOCAL).
import ctypes

cuda = ctypes.CDLL("libcuda.so.1")


def check(result):
    if result != 0:
        raise SystemExit(f"the driver says {result}")


def allocate(size):
    address = ctypes.c_uint64()
    check(cuda.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(size)))
    return address


check(cuda.cuInit(0))
context = ctypes.c_void_p()
check(cuda.cuCtxCreate_v2(ctypes.byref(context), 0, 0))
blocks = [allocate(1 << 20) for _ in range(3)]
check(cuda.cuMemFree_v2(blocks[0]))
