# truth: oracle
# run: manual
# Python loads the allocator's double with local visibility, as it loads PyTorch.
import ctypes
import sys

torch = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_LOCAL)
torch.double_torch_alloc.restype = ctypes.c_void_p
torch.double_torch_alloc.argtypes = [ctypes.c_int, ctypes.c_size_t]
torch.double_torch_free.argtypes = [ctypes.c_void_p]


def make_model():
    return [torch.double_torch_alloc(0, 3_000_000) for _ in range(5)]


def too_much():
    return torch.double_torch_alloc(0, 1 << 50)


def statistics(device=0):
    allocated, reserved = ctypes.c_uint64(), ctypes.c_uint64()
    torch.double_torch_statistics(device, ctypes.byref(allocated), ctypes.byref(reserved))
    return f"allocated {allocated.value} reserved {reserved.value}"


blocks = make_model()
print("given" if too_much() else "refused")
torch.double_torch_free(blocks.pop())
print(f"end: device 0 {statistics()}")
arrived = ctypes.c_int64(), ctypes.c_uint64(), ctypes.c_uint64()
torch.double_c10_arrived(*map(ctypes.byref, arrived))
print("arrived: {} bytes, {} reports, {} refusals".format(*(count.value for count in arrived)))
