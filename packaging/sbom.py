#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes what a package of memtrace contains, and under which licences.

    packaging/sbom.py VERSION FOLDER PROGRAM...

FOLDER/memtrace.spdx.json   memtrace and the libraries that are linked into it, in SPDX 2.3, with
                            the checksums of the PROGRAMs
FOLDER/copyright            memtrace's licence, and the copyright file of each library

Versions and texts are those of the Debian packages that are installed here. The same programs and
packages give the same bytes: the time is SOURCE_DATE_EPOCH.
"""
import datetime
import hashlib
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(HERE)


def installed(names):
    """Returns the first of these Debian packages that is installed, with its version."""
    for name in names:
        found = subprocess.run(["dpkg-query", "-W", "-f", "${db:Status-Status} ${Version}", name],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        status, _, version = found.stdout.partition(" ")
        if status == "installed":
            return name, version
    sys.exit(f"sbom.py: none of {', '.join(names)} is installed; scripts/install-packages build")


def text_of_npm(name):
    folder = os.path.join(SOURCE, "analyzer", "page", "web")
    with open(os.path.join(folder, "package.json")) as file:
        version = json.load(file)["dependencies"][name]
    for place in ("LICENSE", "LICENSE.md"):
        path = os.path.join(folder, "node_modules", name, place)
        if os.path.exists(path):
            with open(path) as file:
                return version, file.read()
    return version, "MIT License; the text is in the package of npm.\n"


def library(row):
    """Returns a library's version, its package URL, and the text of its licence."""
    if "npm" in row:
        version, text = text_of_npm(row["npm"])
        return version, f"pkg:npm/{row['npm']}@{version}", text
    name, version = installed(row["packages"])
    with open(f"/usr/share/doc/{name}/copyright", errors="replace") as file:
        return version, f"pkg:deb/debian/{name}@{version}?arch=amd64", file.read()


def identifier(text):
    return "SPDXRef-" + re.sub("[^A-Za-z0-9.]+", "-", text)


def package(name, version, licence, home, purl=None):
    row = {"SPDXID": identifier(name), "name": name, "versionInfo": version,
           "downloadLocation": "NOASSERTION", "homepage": home, "filesAnalyzed": False,
           "licenseConcluded": licence, "licenseDeclared": licence,
           "copyrightText": "NOASSERTION"}
    if purl:
        row["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
                                "referenceLocator": purl}]
    return row


def file_row(path):
    with open(path, "rb") as file:
        data = file.read()
    return {"SPDXID": identifier("File-" + os.path.basename(path)),
            "fileName": "./" + os.path.basename(path), "licenseConcluded": "Apache-2.0",
            "copyrightText": "NOASSERTION",
            "checksums": [{"algorithm": "SHA1", "checksumValue": hashlib.sha1(data).hexdigest()},
                          {"algorithm": "SHA256",
                           "checksumValue": hashlib.sha256(data).hexdigest()}]}


def main():
    version, folder, *programs = sys.argv[1:]
    with open(os.path.join(HERE, "linked.json")) as file:
        rows = json.load(file)
    with open(os.path.join(SOURCE, "LICENSE")) as file:
        texts = ["memtrace\n========\n\n" + file.read()]
    packages = [package("memtrace", version, "Apache-2.0", "NOASSERTION")]
    files = [file_row(path) for path in programs]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-memtrace")]
    relations += [("SPDXRef-memtrace", "CONTAINS", row["SPDXID"]) for row in files]
    for row in rows:
        found, purl, text = library(row)
        packages.append(package(row["name"], found, row["licence"], row["home"], purl))
        relations.append(("SPDXRef-memtrace", "STATIC_LINK", packages[-1]["SPDXID"]))
        title = f"{row['name']} {found} ({row['licence']})"
        texts.append(f"{title}\n{'=' * len(title)}\n\n{text}")
    time = datetime.datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", "0")),
                                           datetime.timezone.utc)
    digest = hashlib.sha256(json.dumps([packages, files]).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"memtrace-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/memtrace-{version}-{digest[:32]}",
        "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: memtrace packaging/sbom.py"]},
        "hasExtractedLicensingInfos": [
            {"licenseId": "LicenseRef-public-domain", "name": "Public domain",
             "extractedText": "liblzma of XZ Utils is in the public domain."}],
        "packages": packages, "files": files,
        "relationships": [{"spdxElementId": one, "relationshipType": kind,
                           "relatedSpdxElement": other} for one, kind, other in relations]}
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "memtrace.spdx.json"), "w") as file:
        json.dump(document, file, indent=1)
        file.write("\n")
    with open(os.path.join(folder, "copyright"), "w") as file:
        file.write("\n\n".join(texts))


if __name__ == "__main__":
    main()
