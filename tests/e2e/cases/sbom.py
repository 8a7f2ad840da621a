"""The SBOM names each static archive that is linked, is the same each time, and has licences."""
import json
import os
import re

from harness import BUILD, SOURCE, expect, folder, reporter, require, run, skip


def written(place):
    made = run([os.path.join(SOURCE, "packaging", "sbom.py"), "1.2.3", place, reporter()])
    if "is installed" in made.stderr or "dpkg-query" in made.stderr:
        skip(made.stderr.strip()[-200:])
    expect(made.status, 0, made.stderr[-500:])
    texts = []
    for name in ("memtrace.spdx.json", "copyright"):
        with open(os.path.join(place, name)) as file:
            texts.append(file.read())
    return texts


def archives():
    """Returns the names of the archives that CMake has found: {"zstd", "z", …}."""
    with open(os.path.join(BUILD, "CMakeCache.txt")) as file:
        return set(re.findall(r"=\S*/lib([a-z0-9-]+)\.a$", file.read(), re.M))


def test():
    sbom, licences = written(folder())
    expect(written(folder()), [sbom, licences], "a second time")
    document = json.loads(sbom)
    expect(document["spdxVersion"], "SPDX-2.3", "version")
    names = {row["name"] for row in document["packages"]}
    known = {"ncursesw": "ncurses", "tinfo": "ncurses", "event_core": "libevent",
             "event_extra": "libevent", "zstd": "Zstandard",
             "z": "zlib", "lzma": "XZ Utils", "bz2": "bzip2",
             "dw": "elfutils", "elf": "elfutils", "protobuf-lite": "Protocol Buffers"}
    for archive in archives():
        require(known.get(archive) in names, f"lib{archive}.a is linked, and not in the SBOM")
    for row in document["packages"]:
        require(row["licenseConcluded"], row["name"])
        require(row["name"] == "memtrace" or f"{row['name']} {row['versionInfo']}" in licences,
                f"no licence of {row['name']}")
    ids = {row["SPDXID"] for row in document["packages"] + document["files"]}
    for relation in document["relationships"]:
        require(relation["relatedSpdxElement"] in ids, f"{relation} leads nowhere")
