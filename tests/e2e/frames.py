# Where the frames of a dump begin and end, for tests that cut and bend dumps
# (include/memtrace/format.h).
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
    """Every frame in file order; stops where there is none."""
    found, offset = [], PAGE
    while offset + HEADER <= len(data):
        frame = Frame(offset, data)
        if frame.magic != MAGIC:
            break
        found.append(frame)
        offset = frame.end
    return found
