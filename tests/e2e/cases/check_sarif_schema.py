"""check: the SARIF output conforms to the official schema, for a pass, a failure, a damaged dump
and a dump that cannot be read."""
import json
import os

from checks import baseline, build, check, contents, dump_of
from harness import SOURCE, expect, folder, skip

SCHEMA = os.path.join(SOURCE, "build", "sarif-schema.json")


def test():
    try:
        import jsonschema
    except ImportError:
        skip("this Python has no jsonschema (Debian: python3-jsonschema)")
    if not os.path.exists(SCHEMA):
        skip("there is no build/sarif-schema.json (scripts/fetch-sarif-schema needs npm)")
    with open(SCHEMA, encoding="utf-8") as file:
        schema = json.load(file)
    _, program = build()
    whole = dump_of(program)
    base = baseline(whole)
    leaky = dump_of(program, "leak")
    cut = os.path.join(folder(), "cut.bin")
    with open(whole, "rb") as source, open(cut, "wb") as out:
        out.write(source.read()[:-5000])
    foreign = os.path.join(folder(), "foreign.bin")
    with open(foreign, "w", encoding="utf-8") as file:
        file.write("This is no dump.")
    suppressions = os.path.join(folder(), "unused.supp")
    with open(suppressions, "w", encoding="utf-8") as file:
        file.write("leak:nobody\n")
    for dump, status in ((whole, 0), (leaky, 1), (cut, 3), (foreign, 2)):
        path = os.path.join(folder(), "found.sarif")
        ended = check(dump, "--baseline", base, "--sarif", path, "--suppressions", suppressions)
        expect(ended.status, status, f"exit code: {ended.stdout} {ended.stderr}")
        jsonschema.validate(json.loads(contents(path)), schema)
