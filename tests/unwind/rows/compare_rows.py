#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares every row of a file's unwind tables with readelf's: compare_rows.py UNWIND_ROWS FILE...

UNWIND_ROWS is the built program unwind-rows, which prints what preload/unwind/cfi.cpp reads. Each
row is requested twice, at its first byte and at its last. readelf runs twice as well: its table of
rows has `exp` for any expression, and `u` both for a register that is lost and for one without an
entry; its list of instructions distinguishes them. The reduction of a row is worked out here a
second time, from the comments in preload/unwind/unwind_rule.h.

Exit code: 0 all rows are equal; 1 some are not; 77 there was nothing to compare with.
"""

import collections
import dataclasses
import os
import re
import shutil
import subprocess
import sys
import time

REGISTERS = ("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 ra").split()
CFA = "cfa"
SHOWN_MAX = 10
# Below a pipe's 64 KiB in bytes, so a request never waits for a program that waits with answers.
ASKED_AT_ONCE = 2000

# "offset length cie-pointer CIE ..." and the same of an FDE.
HEAD = re.compile(r'([0-9a-f]{8,16}) [0-9a-f]{16} [0-9a-f]{8,16} '
                  r'(?:CIE ?(?P<cie>.*)|FDE cie=(?P<of>[0-9a-f]+) '
                  r'pc=(?P<begin>[0-9a-f]+)\.\.(?P<end>[0-9a-f]+))')
INSTRUCTION = re.compile(r"\s+DW_CFA_(\w+)(?:: | |$)(.*)")
IN_REGISTER = re.compile(r"r\d+ \((\w+)\)")


@dataclasses.dataclass
class Entry:
    """A CIE or an FDE as readelf prints it: its first line, taken apart, and the lines below."""
    offset: str
    cie: str | None  # the CIE's own fields; None in an FDE
    of: str | None     # the offset of an FDE's CIE
    begin: int
    end: int
    lines: list


@dataclasses.dataclass
class Common:
    """What an FDE takes over from its CIE."""
    header: str        # the columns and the row to begin with
    row: str
    facts: dict
    is_signal: bool


@dataclasses.dataclass
class Summary:
    """The result for one file."""
    file: str
    fdes: int = 0
    rows: int = 0
    empty_rows: int = 0  # rows that contain no byte of code
    compared: int = 0  # addresses requested
    mismatches: int = 0
    seconds: float = 0.0
    shown: list = dataclasses.field(default_factory=list)
    kinds: collections.Counter = dataclasses.field(default_factory=collections.Counter)
    rules: set = dataclasses.field(default_factory=set)
    whole_rows: int = 0


def entries_of(file, dump):
    """The entries of .eh_frame, one at a time: a large library's do not fit in memory as text."""
    command = ["readelf", f"--debug-dump={dump}", "--debug-dump=no-follow-links", "-W", file]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                          errors="replace", env={**os.environ, "LC_ALL": "C"}) as readelf:
        is_wanted = False
        entry = None
        for line in readelf.stdout:
            head = HEAD.match(line)
            if head:
                if entry:
                    yield entry
                entry = None
                if is_wanted:
                    entry = Entry(head[1], head["cie"], head["of"], int(head["begin"] or "0", 16),
                                  int(head["end"] or "0", 16), [])
            elif line.startswith("Contents of the "):
                is_wanted = ".eh_frame " in line
            elif entry and line[0] in "0123456789abcdef " and not line.endswith("terminator\n"):
                entry.lines.append(line)
        if entry:
            yield entry


# --- What is missing in the table of rows --------------------------------------------------------

def facts_of_rows(lines, common_facts):
    """For each row the expressions in force, and the registers that are lost."""
    facts, remembered, rows = dict(common_facts), [], []
    for line in lines:
        found = INSTRUCTION.match(line)
        if not found:
            continue
        operation, operands = found.groups()
        register = operands.split(" ", 1)[0].rstrip(":")
        if operation.startswith("advance_loc") or operation == "set_loc":
            rows.append(dict(facts))
        elif operation == "remember_state":
            remembered.append(dict(facts))
        elif operation == "restore_state":
            facts = remembered.pop()
        elif operation == "def_cfa_expression":
            facts[CFA] = "exp:" + assemble(operands)
        elif operation in ("def_cfa", "def_cfa_sf", "def_cfa_register"):
            facts.pop(CFA, None)
        elif operation in ("expression", "val_expression"):
            kind = "exp:" if operation == "expression" else "vexp:"
            facts[register] = kind + assemble(operands.split(") ", 1)[1])
        elif operation == "undefined":
            facts[register] = "u"
        elif operation in ("restore", "restore_extended"):
            facts.pop(register, None)
            if register in common_facts:
                facts[register] = common_facts[register]
        elif register.startswith("r"):
            facts.pop(register, None)
    return rows + [facts]


def leb(number, is_signed):
    """A number in the form of DWARF: seven bits a byte, the lowest first."""
    out = bytearray()
    while True:
        byte, number = number & 0x7f, number >> 7
        is_last = number in (0, -1) and (not is_signed or (number == -1) == bool(byte & 0x40))
        out.append(byte if is_last else byte | 0x80)
        if is_last:
            return bytes(out)


PLAIN_OPERATIONS = {
    "deref": 0x06, "dup": 0x12, "drop": 0x13, "over": 0x14, "swap": 0x16, "rot": 0x17, "abs": 0x19,
    "and": 0x1a, "minus": 0x1c, "mul": 0x1e, "neg": 0x1f, "not": 0x20, "or": 0x21, "plus": 0x22,
    "shl": 0x24, "shr": 0x25, "shra": 0x26, "xor": 0x27, "eq": 0x29, "ge": 0x2a, "gt": 0x2b,
    "le": 0x2c, "lt": 0x2d, "ne": 0x2e, "nop": 0x96,
}


def assemble(text):
    """The bytes of "(DW_OP_breg7 (rsp): 8; DW_OP_deref)", in hexadecimal."""
    out = bytearray()
    for operation in text.strip().removeprefix("(").removesuffix(")").split("; "):
        name, _, operand = operation.strip().removeprefix("DW_OP_").partition(": ")
        name = name.split(" ")[0]
        if name in PLAIN_OPERATIONS:
            out.append(PLAIN_OPERATIONS[name])
        elif name.startswith("lit"):
            out.append(0x30 + int(name[3:]))
        elif name.startswith("breg"):
            out += bytes([0x70 + int(name[4:])]) + leb(int(operand), is_signed=True)
        elif name in ("plus_uconst", "constu"):
            out += bytes([0x23 if name[0] == "p" else 0x10]) + leb(int(operand), is_signed=False)
        elif re.fullmatch(r"const[1248][us]", name):
            size = int(name[5])
            code = 0x08 + 2 * (size.bit_length() - 1) + (name[6] == "s")
            out += bytes([code]) + int(operand).to_bytes(size, "little", signed=name[6] == "s")
        else:
            raise ValueError(f"no bytes are known here for {operation!r}")
    return out.hex()


# --- The reduction of a row, from the comments in preload/unwind/unwind_rule.h --------------------

def sum_of(expression):
    """(register, offset, true if it is then read) of "register + number", or None."""
    code = bytes.fromhex(expression.partition(":")[2])
    if len(code) < 2 or not 0x70 <= code[0] <= 0x7f:
        return None
    size = next((at for at in range(1, len(code)) if code[at] < 0x80), 0)
    if size == 0 or code[size + 1:] not in (b"", b"\x06"):
        return None
    number = sum((byte & 0x7f) << 7 * at for at, byte in enumerate(code[1:size + 1]))
    if code[size] & 0x40:
        number -= 1 << 7 * size
    return code[0] - 0x70, number, len(code) > size + 1


def fits(number, bits):
    return -(1 << bits - 1) <= number < 1 << bits - 1


def reduce(cfa, rules, is_signal):
    """The kind of step and its two numbers, as unwind-rows prints them."""
    full = "full 0 0"
    if rules.get("ra") == "u":
        return "end 0 0"
    if is_signal or rules.get("ra") != "c-8" or "rsp" in rules:
        return full
    if cfa.startswith("exp:"):
        found = sum_of(cfa)
        if found is None:
            return full
        base, offset, is_read = REGISTERS[found[0]], found[1], found[2]
    else:
        base, offset, is_read = cfa[:3].rstrip("+-"), int(re.search(r"[+-]\d+$", cfa)[0]), False
    if base not in ("rsp", "rbp") or not fits(offset, 32):
        return full
    saved = rules.get("rbp")
    if is_read:
        place = sum_of(saved) if saved and saved.startswith("exp:") else None
        is_usual = (base == "rbp" and place and REGISTERS[place[0]] == "rbp" and not place[2]
                    and fits(place[1], 16))
        return f"indirect {offset} {place[1]}" if is_usual else full
    kind = "sp" if base == "rsp" else "fp"
    if saved is None:
        return f"{kind}_keep {offset} 0"
    if saved[0] == "c" and fits(int(saved[1:]), 16):
        return f"{kind}_save {offset} {int(saved[1:])}"
    return full


# --- Rows ----------------------------------------------------------------------------------------

def normal_row(header, row, facts, is_signal):
    """A row of readelf's as unwind-rows would print it, and its reduction."""
    columns = header.split()[1:]
    values = IN_REGISTER.sub(r"\1", row).split()
    if len(columns) != len(values):
        raise ValueError(f"columns {columns} do not fit the row {row!r}")
    rules = {}
    for column, value in zip(columns, values):
        number = REGISTERS.index(column) if column in REGISTERS else None
        fact = facts.get(CFA if column == "CFA" else f"r{number}")
        if value in ("exp", "vexp") and (fact or "").partition(":")[0] != value:
            raise ValueError(f"readelf's rows and its instructions differ: {header} {row}")
        if value in ("exp", "vexp", "u"):
            value = fact
        if (column == "CFA" or number is not None) and value not in (None, "s"):
            rules[column] = value
    cfa = rules.pop("CFA")
    words = [cfa] + [f"{name}={rules[name]}" for name in REGISTERS if name in rules]
    reduced = reduce(cfa, rules, is_signal)
    return " ".join(words + ["signal"] * is_signal + [reduced]), reduced


class Comparison:
    """One file: readelf's rows on one side, the output of unwind-rows on the other."""

    def __init__(self, file, program):
        self.summary = Summary(file)
        self.program = program
        self.commons = {}
        self.normal_rows = {}   # A library has few distinct rows: each is worked out once.
        self.asked, self.expected = [], []

    def run(self):
        started = time.monotonic()
        instructions = entries_of(self.summary.file, "frames")
        for table in entries_of(self.summary.file, "frames-interp"):
            code = next(instructions)
            if table.offset != code.offset:
                raise ValueError(f"readelf lists {table.offset} and {code.offset} in one place")
            if table.cie is not None:
                self.add_common(table, code)
            else:
                self.add_rows(table, code)
        self.compare()
        self.summary.whole_rows = len({row for row, _ in self.normal_rows.values()})
        self.summary.seconds = time.monotonic() - started
        return self.summary

    def add_common(self, table, code):
        header, row = (table.lines[0], table.lines[1][17:]) if table.lines else ("LOC CFA", "rax+0")
        is_signal = "S" in table.cie.split('"')[1]
        self.commons[table.offset.lstrip("0")] = Common(
            header, row, facts_of_rows(code.lines, {})[-1], is_signal)

    def add_rows(self, table, code):
        common = self.commons[table.of.lstrip("0")]
        self.summary.fdes += 1
        header = table.lines[0] if table.lines else common.header
        rows = [(int(line[:16], 16), line[17:]) for line in table.lines[1:]]
        rows = rows or [(table.begin, common.row)]
        facts = [common.facts] * len(rows)
        if common.facts or any("expression" in line or "_undefined" in line for line in code.lines):
            facts = facts_of_rows(code.lines, common.facts)
            if len(facts) != len(rows):
                raise ValueError(f"readelf lists {len(rows)} rows and means {len(facts)}")
        ends = [begin for begin, _ in rows[1:]] + [table.end]
        for (begin, row), end, fact in zip(rows, ends, facts):
            self.add_row(begin, min(end, table.end), self.normal(header, row, fact, common))

    def normal(self, header, row, facts, common):
        key = (header, row, tuple(facts.items()), common.is_signal)
        if key not in self.normal_rows:
            self.normal_rows[key] = normal_row(header, row, facts, common.is_signal)
        return self.normal_rows[key]

    def add_row(self, begin, end, row):
        self.summary.rows += 1
        self.summary.kinds[row[1].split()[0]] += 1
        self.summary.rules.add(row[1])
        if begin >= end:
            self.summary.empty_rows += 1
            return
        for address in (begin, end - 1) if end - 1 > begin else (begin,):
            self.asked.append(f"{address:x}")
            self.expected.append(row[0])
        if len(self.asked) >= ASKED_AT_ONCE:
            self.compare()

    def compare(self):
        self.program.stdin.write("\n".join(self.asked + [""]))
        self.program.stdin.flush()
        for address, expected in zip(self.asked, self.expected):
            answer = self.program.stdout.readline()
            if not answer:
                raise ValueError(f"unwind-rows ended at {address}")
            self.summary.compared += 1
            if answer[:-1] == expected:
                continue
            self.summary.mismatches += 1
            if len(self.summary.shown) < SHOWN_MAX:
                self.summary.shown.append((address, expected, answer[:-1]))
        self.asked, self.expected = [], []


def compare_file(tool, file):
    """Compares all rows of `file`; `tool` is unwind-rows. ValueError: why it could not."""
    try:
        with subprocess.Popen([tool, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                              text=True) as program:
            return Comparison(file, program).run()
    except BrokenPipeError:
        raise ValueError("unwind-rows ended before it was asked for all rows") from None


def describe(summary):
    kinds = ", ".join(f"{name} {rows}" for name, rows in summary.kinds.most_common())
    print(f"{summary.file}: {summary.fdes} FDEs, {summary.rows} rows ({summary.empty_rows} empty), "
          f"{summary.compared} addresses compared, {summary.mismatches} mismatches, "
          f"{len(summary.rules)} rules of {summary.whole_rows} distinct rows, "
          f"{summary.seconds:.1f} s\n  rows by kind: {kinds}")
    for address, expected, answer in summary.shown:
        print(f"  at {address}\n    readelf: {expected}\n    memtrace: {answer}")


def main(arguments):
    if len(arguments) < 2:
        print(__doc__)
        return 2
    if not shutil.which("readelf"):
        print("skipped: there is no readelf here to compare with")
        return 77
    is_good = True
    for file in arguments[1:]:
        try:
            summary = compare_file(arguments[0], file)
        except ValueError as why:
            print(f"{file}: {why}")
            return 1
        describe(summary)
        # A file without rows would be equal to anything.
        is_good = is_good and summary.mismatches == 0 and summary.compared > 0
    return 0 if is_good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
