# SPDX-License-Identifier: Apache-2.0
"""What each tensor of a training program is for, as the program itself knows it.

    truth = Truth(model, optimiser)
    for step in range(1, 7):
        truth.inputs(batch, targets)
        ...
        truth.note("after forward", step)

At each noted moment a mark goes to the dump, and a list of all storages that are alive goes to the
file $MEMTRACE_TRUTH when the program ends:

    {"moments": [{"mark": "after forward 2", "seconds": 0.04, "unread": 0,
                  "storages": [{"pointer": 140123, "bytes": 4096, "kind": "activation"}]}]}

A storage has one kind, the first of KINDS that applies: a saved parameter is a parameter, a
gradient in a bucket is a gradient, and a view is its base. Nothing here allocates a tensor, nor
keeps one alive. What only the C++ side of PyTorch holds, and was not saved for the backward pass,
is not seen: buffers of the autograd engine, and results that are under way between two operations.
"""
import atexit
import ctypes
import gc
import json
import os
import time
import warnings
import weakref

import torch

if "MEMTRACE_DEVICE_TENSORS" in os.environ:  # on_device.py
    ctypes.CDLL(os.environ["MEMTRACE_DEVICE_TENSORS"])

KINDS = ("parameter", "buffer", "gradient", "optimiser_state", "input", "activation", "autograd",
         "temporary")
RANK = {kind: rank for rank, kind in enumerate(KINDS)}
NOTED_STEPS = (2, 5)


def _mark_function():
    """Returns memtrace's function for marks, or None without memtrace."""
    try:
        mark = ctypes.CDLL(None).memtrace_mark
    except AttributeError:
        return None
    mark.restype, mark.argtypes = None, [ctypes.c_char_p]
    return mark


def dense_parts(tensor):
    """Returns the tensors that hold the values of a tensor, which is sparse or not."""
    if tensor.layout == torch.sparse_coo:
        return [tensor._indices(), tensor._values()]
    if tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        return [tensor.crow_indices(), tensor.col_indices(), tensor.values()]
    return [tensor]


def tensors_in(value):
    """Yields the tensors in nested containers."""
    if isinstance(value, torch.Tensor):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from tensors_in(part)
    elif isinstance(value, (list, tuple, set)):
        for part in value:
            yield from tensors_in(part)


class Storages:
    """The storages of one moment: the kind of each address."""

    def __init__(self):
        self.kinds = {}  # address: (rank of the kind, bytes)
        self.unread = 0  # tensors whose storage cannot be asked for

    def add(self, tensor, kind):
        if type(tensor).__module__.startswith("torch._subclasses"):
            return  # a stand-in without memory, left over from tracing for a compiler
        try:
            storages = [part.untyped_storage() for part in dense_parts(tensor)]
            found = [(storage.data_ptr(), storage.nbytes()) for storage in storages]
        except (RuntimeError, NotImplementedError, AttributeError):  # an opaque layout, meta
            self.unread += 1
            return
        for address, size in found:
            if address and size:
                self.kinds[address] = min(self.kinds.get(address, (len(KINDS), size)),
                                          (RANK[kind], size))

    def listed(self):
        return [{"pointer": address, "bytes": size, "kind": KINDS[rank]}
                for address, (rank, size) in sorted(self.kinds.items())]


class Truth:
    """Notes the tensors of a program.

    model       a module, or a list of tensors that are the parameters
    optimiser   one of torch.optim, or None
    states      tensors, in nested containers, that serve an optimiser written by hand, or that are
                an average of the parameters: they count as the optimiser's state. The containers
                are read at each moment.
    data        tensors, in nested containers, that are inputs and live as long as the program
    rank        number of this process among several, or None
    steps       the steps that are noted
    hooks       False: what is saved for the backward pass is not looked at, as torch.func demands
    """

    def __init__(self, model, optimiser=None, states=(), data=(), rank=None, steps=NOTED_STEPS,
                 hooks=True):
        self.model, self.optimiser, self.states, self.data = model, optimiser, states, data
        self.saved, self.given, self.buckets, self.steps = [], [], {}, steps
        self.moments = []
        self.mark = _mark_function()
        self.path = os.environ.get("MEMTRACE_TRUTH")
        if self.path and rank is not None:
            self.path += f".{rank}"
        self.hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, self._unpack)
        if hooks:
            self.hooks.__enter__()
        atexit.register(self._write)

    def _pack(self, tensor):
        # An alias, because the tensor itself would be in a cycle with its node if it is an output.
        alias = tensor.detach()
        self.saved.append(weakref.ref(alias))
        return alias

    @staticmethod
    def _unpack(alias):
        return alias

    def inputs(self, *tensors):
        """States that these tensors, in nested containers, are inputs for as long as they live."""
        self.given += [weakref.ref(tensor) for tensor in tensors_in(tensors)]

    def bucket(self, index, tensor):
        """States that this is the storage of gradients that are sent together, until it is said of
        another tensor with the same index. Its owner is in C++, so the address alone is kept."""
        found = Storages()
        found.add(tensor, "gradient")
        self.buckets[index] = found.kinds

    def note(self, moment, step):
        """Notes the moment if the step is one of those that are looked at."""
        if step not in self.steps:
            return
        mark = f"{moment} {step}"
        collects = gc.isenabled()
        gc.disable()  # What is garbage at the mark has to be alive in the list too.
        started = time.perf_counter()
        if self.mark:
            self.mark(mark.encode())
        found = Storages()
        self._add_known(found)
        self._add_alive(found)
        self.moments.append({"mark": mark, "seconds": round(time.perf_counter() - started, 3),
                             "unread": found.unread, "storages": found.listed()})
        if collects:
            gc.enable()

    def _add_known(self, found):
        is_module = isinstance(self.model, torch.nn.Module)
        for parameter in self.model.parameters() if is_module else self.model:
            found.add(parameter, "parameter")
        for buffer in self.model.buffers() if is_module else ():
            found.add(buffer, "buffer")
        for kinds in self.buckets.values():
            found.kinds.update(kinds)
        state = [self.states]
        if self.optimiser is not None:
            groups = [{key: value for key, value in group.items() if key != "params"}
                      for group in self.optimiser.param_groups]
            state += [list(self.optimiser.state.values()), groups]
        for tensor in tensors_in(state):
            found.add(tensor, "optimiser_state")
        for tensor in tensors_in(self.data):
            found.add(tensor, "input")
        self.given = self._add_weak(self.given, found, "input")
        self.saved = self._add_weak(self.saved, found, "activation")

    @staticmethod
    def _add_weak(references, found, kind):
        """Adds the tensors that are still alive, and returns the references to them."""
        alive = []
        for reference in references:
            tensor = reference()
            if tensor is not None:
                found.add(tensor, kind)
                alive.append(reference)
        return alive

    @staticmethod
    def _add_alive(found):
        """Adds the tensors that Python can reach: gradients, results, and what is left over."""
        for thing in gc.get_objects():
            if not issubclass(type(thing), torch.Tensor):
                continue
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    leaf, gradient = thing.is_leaf, thing.grad
                except RuntimeError:  # a view whose base was changed, as the older FSDP has them
                    leaf, gradient = True, None
            if gradient is not None:
                found.add(gradient, "gradient")
            found.add(thing, "temporary" if leaf else "activation")

    def _write(self):
        if self.path:
            with open(self.path, "w", encoding="utf-8") as file:
                json.dump({"pid": os.getpid(), "moments": self.moments}, file)
