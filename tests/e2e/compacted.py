"""Reports of dumps that were compacted, to be compared."""
import os
import re

from harness import command_of, environment, folder, reporter, run, shim

REPORTS = ("summary", "growth", "info", "check --max-leaked-bytes 1 --top 1000",
           "baseline --output -")
IN_JSON = ("sites", "tree", "growth", "phases", "steps", "gpu", "oom", "host")


def ask(words, dump):
    ended = run([reporter(), *words, dump])
    text = ended.stdout.replace(dump, "DUMP")
    # The one thing that must differ is the size of the dump.
    text = re.sub(r'"dump_bytes": \d+', '"dump_bytes": 0', text)
    text = re.sub(r"in [\d.]+ [KMG]?i?B \([\d.]+ bytes each\)", "", text)
    text = re.sub(r"dump +DUMP, .*", "", text)
    return ended.status, text, ended.stderr.replace(dump, "DUMP")


def recorded(program, *arguments, env=None, options=""):
    dump = os.path.join(folder(), "dump.bin")
    run(command_of(program, arguments), environment([shim()], env, options, dump), cwd=folder())
    return dump
