# SPDX-License-Identifier: Apache-2.0
"""What each array of a program of JAX or Keras is for, as the program itself knows it.

    truth = ArrayTruth(addresses_of)      # addresses_of(tree) yields (address, bytes) of its arrays
    truth.note("step 2", parameter=parameters, optimiser_state=state, input=(x, y))

At each noted moment a mark goes to the dump, and the arrays of each kind go to the file
$MEMTRACE_TRUTH when the program ends, in the form of truth.py.
"""
import atexit
import ctypes
import json
import os


def jax_addresses(tree):
    """Yields the address and the bytes of each array in a tree of JAX, when it is computed."""
    import jax
    for leaf in jax.tree_util.tree_leaves(tree):
        if isinstance(leaf, jax.Array):
            leaf.block_until_ready()
            yield leaf.unsafe_buffer_pointer(), leaf.nbytes


def tensorflow_addresses(variables):
    """Yields the address and the bytes of each variable of Keras on TensorFlow."""
    for variable in variables:
        # On a CPU the NumPy array of an eager tensor is its own memory.
        array = variable.value.value()._numpy_internal()
        if getattr(array, "shape", ()):  # A scalar is copied.
            yield array.ctypes.data, array.nbytes


class ArrayTruth:
    def __init__(self, addresses_of):
        self.addresses_of, self.moments = addresses_of, []
        self.mark = ctypes.CDLL(None).memtrace_mark
        self.mark.restype, self.mark.argtypes = None, [ctypes.c_char_p]
        atexit.register(self._write)

    def note(self, mark, **kinds):
        storages = [{"pointer": address, "bytes": size, "kind": kind}
                    for kind, tree in kinds.items()
                    for address, size in self.addresses_of(tree) if size > 0]
        self.moments.append({"mark": mark, "seconds": 0, "unread": 0, "storages": storages})
        self.mark(mark.encode())

    def _write(self):
        with open(os.environ["MEMTRACE_TRUTH"], "w", encoding="utf-8") as file:
            json.dump({"pid": os.getpid(), "moments": self.moments}, file)
