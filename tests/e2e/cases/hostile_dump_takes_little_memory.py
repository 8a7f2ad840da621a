"""A small dump whose chunks unpack to gigabytes is read in little memory: chunks that are nothing
but zeros, chunks of a million events, chunks of long texts, each in a lane of its own."""
import ctypes
import ctypes.util
import os
import struct
import subprocess

from damage import whole_dump
from frames import ALIGN, CHUNK, MAGIC, checksum
from harness import folder, reporter, require, skip

MIB = 1 << 20
ZSTD = 1
THREAD_NAME, MARK, NOTE = 10, 14, 17  # tags of records


def library():
    name = ctypes.util.find_library("zstd") or skip("there is no libzstd.so")
    zstd = ctypes.CDLL(name)
    zstd.ZSTD_compressBound.restype = zstd.ZSTD_compress.restype = ctypes.c_size_t
    zstd.ZSTD_compressBound.argtypes = [ctypes.c_size_t]
    zstd.ZSTD_compress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                   ctypes.c_size_t, ctypes.c_int]
    return zstd


def packed(zstd, raw):
    """Returns the bytes packed, with an empty part at the end that makes their size a multiple of
    eight: the checksum of the tests knows no others."""
    room = zstd.ZSTD_compressBound(len(raw))
    out = ctypes.create_string_buffer(room)
    data = out.raw[:zstd.ZSTD_compress(out, room, raw, len(raw), 3)]
    rest = -len(data) % 8
    return data + struct.pack("<II", 0x184D2A50, rest) + bytes(rest)


def varint(value):
    text = b""
    while value >= 0x80:
        text += bytes([value & 0x7F | 0x80])
        value >>= 7
    return text + bytes([value])


def payload(columns):
    directory = varint(len(columns))
    for key, data in columns:
        directory += varint(key) + varint(len(data))
    return directory + b"".join(data for _, data in columns)


def chunk(lane, stored, raw_bytes, records):
    low = checksum(stored) & 0xFFFFFFFF
    header = struct.pack("<IBBHIIIIQIIQQ", MAGIC, CHUNK, ZSTD, 0, len(stored), raw_bytes, lane,
                         records, 0, records, low, 0, 0)
    section = header + struct.pack("<Q", checksum(header)) + stored
    return section + bytes(-len(section) % ALIGN)


def check(name, dump, raw, records, lanes):
    stored = packed(library(), raw)
    path = os.path.join(folder(), name)
    with open(path, "wb") as file:
        file.write(dump + bytes(-len(dump) % ALIGN))
        for lane in range(1000, 1000 + lanes):
            file.write(chunk(lane, stored, len(raw), records))
    with subprocess.Popen([reporter(), "info", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT) as process:
        text = process.stdout.read().decode()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    require(process.returncode == 3, f"{name}: exit code {process.returncode}: {text[-300:]}")
    mib = usage.ru_maxrss / 1024
    require(mib < 400, f"{name} of {os.path.getsize(path):,} bytes takes {mib:.0f} MiB")


def test():
    dump = whole_dump()
    check("zeros", dump, bytes(64 * MIB), 1, 60)
    acquires = payload([(0, b"\x80" * 100_000), (999, bytes(60 * MIB))])
    check("acquires", dump, acquires, 100_000, 20)
    for name, tag, field in (("notes", NOTE, 1), ("marks", MARK, 1),
                             ("thread names", THREAD_NAME, 0)):
        column = (varint(4000) + b"x" * 4000) * 8000
        texts = (16 * tag + field, column)
        check(name, dump, payload([(0, bytes([tag]) * 8000), texts]), 8000, 30)
    many = payload([(0, b"\x80" * (30 * MIB))])
    check("too many", dump, many, 1 << 20, 4)
