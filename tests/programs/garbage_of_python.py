# truth: oracle
# Objects that refer to each other and to large buffers. Nothing else refers to some of them, so
# only the garbage collector would free them, and it never runs here.
import asyncio  # Its modules are among the first that an interpreter takes down when it ends.
import gc
import sys
import weakref

SIZE, TIMES = 64 << 10, 30
weakly, finalizers, names = [], [], weakref.WeakValueDictionary()
gc.disable()


class Node:
    def __init__(self, size):
        self.buffer = bytearray(size)
        self.me = self


class Slotted:
    __slots__ = ("buffer", "me", "__weakref__")

    def __init__(self, size):
        self.buffer = bytearray(size)
        self.me = self


def drop_node():
    Node(SIZE + 1)


def drop_slotted():
    Slotted(SIZE + 2)


def drop_list():
    one = [bytearray(SIZE + 3)]
    one.append(one)


def drop_dictionary():
    one = {"buffer": bytearray(SIZE + 4)}
    one["me"] = one


def drop_closure():
    buffer = bytearray(SIZE + 5)

    def call_me():
        return call_me, buffer


def drop_traceback():
    buffer = bytearray(SIZE + 6)
    try:
        raise ValueError(len(buffer))
    except ValueError as error:
        kept = error  # The frame has the error, the error its traceback, and that the frame.
    return len(kept.args)


def drop_referred_weakly():
    one = Node(SIZE + 8)
    weakly.append(weakref.ref(one))
    finalizers.append(weakref.finalize(one, print, "at exit"))
    finalizers[-1].atexit = False
    names[len(names)] = one


def drop_chain():
    first = last = Node(1)
    for _ in range(20_000):
        last.next = Node(1)
        last = last.next
    last.buffer = bytearray(SIZE + 7)
    last.next = first


def keep_everywhere():
    """Returns what a program may keep its objects by: none of it is garbage."""
    global in_module
    in_module = Node(SIZE + 11)
    on_class = Node(SIZE + 12)
    Node.kept = on_class
    waiting = iterate(Node(SIZE + 13))
    next(waiting)
    bound = Node(SIZE + 14).__init__
    weak = weakref.WeakKeyDictionary({in_module: Node(SIZE + 15)})
    sys.kept_here = {frozenset([1]): (Node(SIZE + 16),)}
    return waiting, bound, weak, lambda kept=Node(SIZE + 17): kept


def keep_large_list():
    """Returns lists whose arrays look like lists of free objects: many pointers to one type."""
    return [bytearray(600 + i % 7) for i in range(3000)], {i: bytearray(700) for i in range(500)}


def iterate(node):
    yield 1
    yield node


def main():
    kept = keep_everywhere(), keep_large_list()
    for _ in range(TIMES):
        for drop in (drop_node, drop_slotted, drop_list, drop_dictionary, drop_closure,
                     drop_traceback, drop_referred_weakly):
            drop()
    drop_chain()
    return kept


everything = main(), asyncio
