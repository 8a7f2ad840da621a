# truth: oracle
# run: manual
# Three runtimes of CUDA in one process: two shared ones, and one inside a library, invisible to
# others. After each step there is a mark, and the driver's own count on stdout.
import ctypes
import sys

FOLDER = sys.argv[1]


def load(path):
    return ctypes.CDLL(f"{FOLDER}/{path}", mode=ctypes.RTLD_LOCAL)


runtimes = [load(f"libcudart/libcudart.so.{major}") for major in (12, 13)]
nccl = load("nccl/libfakenccl.so")
nccl.fake_nccl_open.restype = ctypes.c_void_p
nccl.fake_nccl_open.argtypes = [ctypes.c_size_t, ctypes.c_size_t]
nccl.fake_nccl_close.argtypes = [ctypes.c_void_p]
driver = load("libcuda/libcuda.so.1")
driver.double_device_bytes.restype = ctypes.c_ulonglong
memtrace_mark = getattr(ctypes.CDLL(None), "memtrace_mark", lambda text: None)


def step(name):
    memtrace_mark(name.encode())
    count = driver.double_device_bytes(0)
    print(f"{name}: device 0 allocated {count} reserved {count}")


def cuda_malloc(runtime, size):
    block = ctypes.c_void_p()
    if runtime.cudaMalloc(ctypes.byref(block), ctypes.c_size_t(size)) != 0:
        sys.exit(97)
    return block


blocks = []
for number, runtime in enumerate(runtimes):
    blocks.append((runtime, cuda_malloc(runtime, 3_000_000 + number)))
    step(f"runtime {number}")
communicator = nccl.fake_nccl_open(5 << 20, 64 << 20)
step("communicator")
for runtime, block in blocks:
    runtime.cudaFree(block)
step("blocks are freed")
nccl.fake_nccl_close(communicator)
step("communicator is closed")
