# Where the sections of a dump begin and end, for tests that cut and change dumps
# (include/memtrace/dump/format.h).
import struct

PAGE, ALIGN, HEADER = 4096, 64, 64
MAGIC = 0x4B43544D
CHUNK, RING = 1, 2


class Frame:
    def __init__(self, offset, data):
        (self.magic, self.kind, self.packing, _, self.stored_bytes, self.raw_bytes, self.lane,
         self.record_count, self.first_slot, self.slot_count) = struct.unpack_from(
             "<IBBHIIIIQI", data, offset)
        self.offset, self.payload = offset, offset + HEADER
        end = self.payload + self.stored_bytes
        self.end = (end + ALIGN - 1) // ALIGN * ALIGN


def frames_of(data):
    """Returns every section in file order, up to the first gap."""
    found, offset = [], PAGE
    while offset + HEADER <= len(data):
        frame = Frame(offset, data)
        if frame.magic != MAGIC:
            break
        found.append(frame)
        offset = frame.end
    return found


P1, P2, P3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9
P4, P5, ALL = 0x85EBCA77C2B2AE63, 0x27D4EB2F165667C5, (1 << 64) - 1


def turn(value, bits):
    return (value << bits | value >> (64 - bits)) & ALL


def step(lane, word):
    return turn((lane + word * P2) & ALL, 31) * P1 & ALL


def checksum(data):
    """Returns the XXH64 of whole eight-byte words; headers consist of such words (hash.h)."""
    words = struct.unpack(f"<{len(data) // 8}Q", data)
    striped = len(words) // 4 * 4
    if striped:
        lanes = [(P1 + P2) & ALL, P2, 0, -P1 & ALL]
        for at in range(0, striped, 4):
            lanes = [step(lane, word) for lane, word in zip(lanes, words[at:at + 4])]
        value = sum(turn(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & ALL
        for lane in lanes:
            value = ((value ^ step(0, lane)) * P1 + P4) & ALL
    else:
        value = P5
    value = (value + len(data)) & ALL
    for word in words[striped:]:
        value = (turn(value ^ step(0, word), 27) * P1 + P4) & ALL
    value = (value ^ value >> 33) * P2 & ALL
    value = (value ^ value >> 29) * P3 & ALL
    return value ^ value >> 32


HEADER_CHECKSUM = 56  # offset of FileHeader::checksum, which covers everything before it


def with_header_field(data, offset, value):
    """Returns the dump with another 32-bit value in its static header, and a matching checksum."""
    changed = bytearray(data)
    struct.pack_into("<I", changed, offset, value)
    struct.pack_into("<Q", changed, HEADER_CHECKSUM, checksum(bytes(changed[:HEADER_CHECKSUM])))
    return bytes(changed)
