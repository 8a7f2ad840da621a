"""The comparison of a report with what a training program knows: shares of bytes, and limits."""
import os
import sys

from harness import SOURCE, expect, require

sys.path.insert(0, os.path.join(SOURCE, "tests", "training"))
import compare  # noqa: E402


def block(address, size, kind):
    return {"space": "host", "address": address, "bytes": size, "kind": kind}


def storage(pointer, size, kind):
    return {"pointer": pointer, "bytes": size, "kind": kind}


def compared(blocks, storages):
    return compare.compare({"moments": [{"mark": "after step 2", "blocks": blocks}]},
                           {"moments": [{"mark": "after step 2", "storages": storages}]})[0]


def test():
    true = [storage(0x1000, 960, "parameter"), storage(0x2000, 40, "activation")]
    moment = compared([block(0x1000, 960, "parameter"), block(0x2000, 40, "activation")], true)
    expect((moment.right, moment.unknown, moment.more, moment.passes), (1000, 0, 0, True), "equal")

    moment = compared([block(0x1000, 960, "parameter"), block(0x2000, 40, "temporary")], true)
    expect((moment.right_share, moment.passes), (0.96, False), "4 % are wrong")
    expect(moment.confusions(), [(("temporary", "activation"), 40)], "what is told for what")
    require("0x2000" in moment.described(), moment.described())

    moment = compared([block(0x0fc0, 2000, "parameter")], true)
    expect((moment.right, moment.unknown), (960, 40), "an address inside, and one in no block")

    moment = compared([block(0x1000, 960, "parameter"), block(0x2000, 40, "unknown"),
                       block(0x3000, 500, "framework")], true)
    expect((moment.unknown_share, moment.more), (0.04, 500), "unknown, and a block that is more")

    expect(compared([block(0x1000, 960, "parameter")], []).passes, True, "no tensor is alive")
    for report in ({}, {"moments": [{"mark": "after step 3", "blocks": []}]}):
        try:
            compare.compare(report, {"moments": [{"mark": "after step 2", "storages": true}]})
        except compare.NotComparable as reason:
            require("after step 2" in str(reason), str(reason))
        else:
            require(False, f"{report} was compared")
