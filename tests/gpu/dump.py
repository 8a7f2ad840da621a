# SPDX-License-Identifier: Apache-2.0
"""Counts the GPU records of a dump independently. The analyzer provides only the records as text
(`memtrace-report text`)."""
import re
import subprocess

FIELD = re.compile(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)')
DRIVER = ("libcuda.so", "libcudart", "libmemtrace", "libcupti")


def records(reporter, path, words=()):
    """Yields each record of a dump as (word, {field: text}), in time order. `words`: only these; a
    dump has millions of others."""
    with subprocess.Popen([reporter, "text", path], stdout=subprocess.PIPE, text=True,
                          errors="replace") as text:
        for line in text.stdout:
            word, _, rest = line.partition(" ")
            if words and word.strip() not in words:
                continue
            yield word.strip(), {key: value.strip('"') for key, value in FIELD.findall(rest)}


# What the ledger takes.
WORDS = {"node", "module", "mark", "gpu_acquire", "gpu_release", "gpu_retain", "gpu_map",
         "gpu_unmap", "tensor_acquire", "tensor_release"}


def number(fields, key):
    return int(fields.get(key, "0"), 0)


class Ledger:
    """Device memory by owner, and PyTorch's blocks, by the rules D1 and D2 alone."""

    def __init__(self):
        self.parents, self.module_of, self.modules = {}, {}, {}
        self.plain = {}     # address -> (bytes, owner)
        self.handles = {}   # handle -> [bytes, owner, references, mappings]
        self.mapped = {}    # address -> (bytes, handle)
        self.blocks = {}    # address -> bytes of a tensor's block
        self.marks = []     # (text, {owner: bytes}, bytes of blocks)
        self.asked = {}     # owner -> bytes during the whole run, of pools too

    def owner(self, stack):
        while stack:
            path = self.modules.get(self.module_of.get(stack, 0), "")
            name = path.rsplit("/", 1)[-1]
            if name and not name.startswith(DRIVER):
                return name
            stack = self.parents.get(stack, 0)
        return "unknown"

    def held(self):
        """Returns the bytes on devices by the file name of the library that requested them."""
        sums = {}
        for size, owner in self.plain.values():
            sums[owner] = sums.get(owner, 0) + size
        for size, owner, *_ in self.handles.values():
            sums[owner] = sums.get(owner, 0) + size
        return sums

    def drop_if_unused(self, handle):
        entry = self.handles.get(handle)
        if entry and entry[2] <= 0 and entry[3] <= 0:
            del self.handles[handle]

    def take(self, word, fields):
        if word == "node":
            self.parents[number(fields, "id")] = number(fields, "parent")
            self.module_of[number(fields, "id")] = number(fields, "module")
        elif word == "module":
            self.modules[number(fields, "id")] = fields.get("path", "")
        elif word == "gpu_acquire":
            self.acquire(fields)
        elif word == "gpu_release":
            self.release(number(fields, "address"))
        elif word == "gpu_retain" and number(fields, "handle") in self.handles:
            self.handles[number(fields, "handle")][2] += 1
        elif word == "gpu_map":
            handle = number(fields, "handle")
            if handle in self.handles:
                self.mapped[number(fields, "address")] = (number(fields, "size"), handle)
                self.handles[handle][3] += 1
        elif word == "gpu_unmap":
            self.unmap(number(fields, "address"), number(fields, "size"))
        elif word == "tensor_acquire" and fields.get("device_type") != "0":
            self.blocks[number(fields, "address")] = number(fields, "size")
        elif word == "tensor_release" and fields.get("device_type") != "0":
            self.blocks.pop(number(fields, "address"), None)
        elif word == "mark":
            self.marks.append((fields.get("text", ""), self.held(), sum(self.blocks.values())))

    def acquire(self, fields):
        size, owner = number(fields, "size"), self.owner(number(fields, "stack"))
        self.asked[owner] = self.asked.get(owner, 0) + size
        if fields.get("memory") in ("device", "array"):
            self.plain[number(fields, "address")] = (size, owner)
        elif fields.get("memory") == "physical":
            self.handles[number(fields, "address")] = [size, owner, 1, 0]

    def release(self, address):
        if self.plain.pop(address, None) is None and address in self.handles:
            self.handles[address][2] -= 1
            self.drop_if_unused(address)

    def unmap(self, begin, size):
        for address in [at for at in self.mapped if begin <= at < begin + size]:
            _, handle = self.mapped.pop(address)
            if handle in self.handles:
                self.handles[handle][3] -= 1
                self.drop_if_unused(handle)


def replay(reporter, path):
    ledger = Ledger()
    for word, fields in records(reporter, path, WORDS):
        ledger.take(word, fields)
    return ledger
