"""A report that would have no receiver without memtrace is recorded and not passed on. A note
says so once."""
from harness import expect, trace
from tensors import count, records


def test():
    traced = trace("torch_reports_to_nobody")
    expect(traced.stdout, "done\n", "stdout")
    dump = traced.dumps[0]
    expect(count(dump).blocks, {(1, 0x1000): (0, 512)}, "blocks that are left")
    notes = [fields["text"] for kind, fields in records(dump)
             if kind == "note" and fields["subject"] == '"torch"']
    expect(len(notes), 1, "notes")
