"""check: a change that leaks fails in all outputs, with the file and the line. The rest does not
fail."""
import json
import os
import xml.etree.ElementTree as xml

from checks import LEAKING_LINE, baseline, build, check, contents, dump_of
from harness import expect, folder, require


def test():
    root, program = build()
    base = baseline(dump_of(program))
    require("/" not in contents(base).replace("src/keeper.c", ""), "a path in the baseline")
    expect(check(dump_of(program), "--baseline", base).status, 0, "the same again")
    place = folder()
    outputs = {name: os.path.join(place, name) for name in ("junit", "sarif", "markdown", "json")}
    leaky = dump_of(program, "leak")
    found = check(leaky, "--baseline", base, "--root", root, "--github",
                  *(word for name, path in outputs.items() for word in ("--" + name, path)),
                  env={"GITHUB_STEP_SUMMARY": os.path.join(place, "summary.md")})
    expect(found.status, 1, f"a leak of 300,000 bytes: {found.stdout}")
    where = f"src/keeper.c:{LEAKING_LINE}"
    require(where in found.stdout and "keep_more < main" in found.stdout, found.stdout)
    require(f"::error file=src/keeper.c,line={LEAKING_LINE}," in found.stdout, found.stdout)
    require(where in contents(outputs["markdown"]).replace("\\", ""), "Markdown")
    expect(contents(os.path.join(place, "summary.md")), contents(outputs["markdown"]), "summary")
    suite = xml.parse(outputs["junit"]).getroot()
    failed = [case for case in suite.iter("testcase") if case.find("failure") is not None]
    expect(suite.get("failures"), str(len(failed)), "failures")
    expect({(case.get("file"), case.get("line")) for case in failed},
           {("src/keeper.c", str(LEAKING_LINE))}, "lines of JUnit")
    checks = json.loads(contents(outputs["json"]))["checks"]
    new = next(item for item in checks if item["scope"] == "new site" and not item["passed"])
    expect((new["sites"][0]["file"], new["sites"][0]["line"], new["sites"][0]["measured"]),
           ("src/keeper.c", LEAKING_LINE, 300000), "the new site")
    look_at_sarif(json.loads(contents(outputs["sarif"])))


def look_at_sarif(document):
    expect(document["version"], "2.1.0", "version of SARIF")
    run = document["runs"][0]
    rules = {rule["id"] for rule in run["tool"]["driver"]["rules"]}
    require(run["results"], "SARIF without a result")
    for result in run["results"]:
        require(result["ruleId"] in rules, f"no rule {result['ruleId']}")
        place = result["locations"][0]["physicalLocation"]
        expect((place["artifactLocation"]["uri"], place["region"]["startLine"]),
               ("src/keeper.c", LEAKING_LINE), "place in SARIF")
