# Small blocks with known addresses: sized_objects.py prints the requested size, the function, the
# address, and which blocks were given back. Tests find the same in the dump.
# It calls PyObject_Malloc, PyObject_Calloc, PyObject_Realloc, PyObject_Free, PyMem_Malloc,
# PyMem_Calloc, PyMem_Realloc and PyMem_Free.
import ctypes
import json

COUNT = 50
SIZES = {"PyObject_Malloc": 397, "PyObject_Calloc": 411, "PyMem_Malloc": 427, "PyMem_Calloc": 443}


def function(name, result, *arguments):
    found = getattr(ctypes.pythonapi, name)
    found.restype, found.argtypes = result, arguments
    return found


def own_blocks(name, size):
    """Makes the blocks of one size, frees every second block, and resizes one block."""
    domain = name.split("_")[0]
    free = function(domain + "_Free", None, ctypes.c_void_p)
    resize = function(domain + "_Realloc", ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)
    if name.endswith("Calloc"):
        calloc = function(name, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t)
        blocks = [calloc(1, size) for _ in range(COUNT)]
    else:
        malloc = function(name, ctypes.c_void_p, ctypes.c_size_t)
        blocks = [malloc(size) for _ in range(COUNT)]
    for block in blocks[::2]:
        free(block)
    freed = blocks[::2] + [blocks[1], blocks[3]]
    large = resize(blocks[1], 100_000 + size)  # moves out of the arenas
    free(resize(large, 100_100 + size))
    small = resize(blocks[3], size + 3)
    free(small)
    return {"api": name, "size": size, "blocks": blocks, "freed": freed,
            "resized": [small, size + 3, domain + "_Realloc"]}


if __name__ == "__main__":
    for name, size in SIZES.items():
        print(json.dumps(own_blocks(name, size)))
