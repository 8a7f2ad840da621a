# SPDX-License-Identifier: Apache-2.0
"""Copies of raw messages stay."""
import msgspec
from resident import loop

DECODER = msgspec.msgpack.Decoder(type=msgspec.Raw)
MESSAGE = msgspec.msgpack.encode(b"x" * 500)


def copy(_):
    DECODER.decode(MESSAGE).copy()  # leak


loop(300000, copy)
