# Reads profiles of pprof, with nothing but the description of protocol buffers' wire format and of
# pprof's fields: a second opinion on the files that memtrace-report writes.
import gzip


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7f) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def fields(data):
    """Yields the fields of a message: (number, value)."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            raise ValueError(f"wire type {tag & 7}")
        yield tag >> 3, value


def packed(data):
    values, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        values.append(value)
    return values


class Profile:
    """types: (name, unit); samples: (values, frames from the innermost, labels); default: a name.
    A frame is (function, system name, file, line, mapping); a mapping (file, build-id)."""

    def __init__(self, path):
        with gzip.open(path) as file:
            found = list(fields(file.read()))
        self.strings = [value.decode("utf-8") for number, value in found if number == 6]
        one = {number: value for number, value in found if number in (9, 10, 12, 14)}
        self.time_ns, self.duration_ns, self.period = one.get(9, 0), one.get(10, 0), one.get(12, 0)
        self.default = self.strings[one.get(14, 0)]
        self.comments = [self.strings[text] for number, value in found if number == 13
                         for text in packed(value)]
        self.types = [self.texts(value, 1, 2) for number, value in found if number == 1]
        self.mappings = [self.texts(value, 5, 6) for number, value in found if number == 3]
        functions, locations = {}, {}
        for number, value in found:
            if number == 5:
                functions[dict(fields(value))[1]] = self.texts(value, 2, 3, 4)
        for number, value in found:
            if number == 4:
                parts = dict(fields(value))
                line = dict(fields(parts[4]))
                mapping = self.mappings[parts[2] - 1] if parts.get(2) else None
                locations[parts[1]] = (*functions[line[1]], line.get(2, 0), mapping)
        self.samples = []
        for number, value in found:
            if number == 2:
                parts = list(fields(value))
                at = {number: packed(data) for number, data in parts if number in (1, 2)}
                labels = dict(self.texts(data, 1, 2) for number, data in parts if number == 3)
                self.samples.append((at[2], [locations[id] for id in at.get(1, [])], labels))

    def texts(self, message, *numbers):
        parts = dict(fields(message))
        return tuple(self.strings[parts.get(number, 0)] for number in numbers)

    def sums(self, space):
        """Returns the sum of each type over the samples of a space."""
        sums = [0] * len(self.types)
        for values, _, labels in self.samples:
            if labels["space"] == space:
                sums = [a + b for a, b in zip(sums, values)]
        return {name: value for (name, _), value in zip(self.types, sums)}
