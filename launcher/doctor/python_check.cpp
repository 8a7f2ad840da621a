// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/python_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "launcher/program.h"

namespace memtrace::launcher {
namespace {

// PyTorch's version.py is read, and PyTorch not imported, which would take seconds. This runs in
// any Python from 2.7 on.
constexpr const char* question = R"(
import json, os, platform, sys
torch = None
try:
    from importlib.util import find_spec
    found = find_spec("torch")
    path = os.path.join(os.path.dirname(found.origin), "version.py")
    names = {"__name__": "version", "__file__": path}
    with open(path) as file:
        exec(compile(file.read(), path, "exec"), names)
    torch = {key: names.get(key) and str(names[key]) for key in ("cuda", "hip")}
    torch["version"] = str(names["__version__"])
except Exception:
    pass
print(json.dumps({"executable": sys.executable, "version": platform.python_version(),
                  "implementation": platform.python_implementation(), "torch": torch}))
)";

constexpr const char* upgrade =
    "Lines of Python are recorded of CPython 3.8 to 3.15; allocations are recorded in any case.";

std::string text_in(const nlohmann::json& facts, const char* key) {
    const auto found = facts.find(key);
    return found != facts.end() && found->is_string() ? found->get<std::string>() : "";
}

// Returns the state of Python's lines, as the dump tells it: "on (3.11.7)", "off: why".
std::string python_of(const Trial& trial) {
    return trial.is_recorded() ? text_in(trial.dump["capture"], "python") : "";
}

Finding judge_torch(const nlohmann::json& torch, const std::string& python) {
    const std::string version = text_in(torch, "version");
    if (const std::string cuda = text_in(torch, "cuda"); !cuda.empty()) {
        return {"pytorch", State::ok,
                fmt::format("{} for CUDA {} in {}: tensors and device memory are recorded", version,
                            cuda, python),
                ""};
    }
    if (const std::string hip = text_in(torch, "hip"); !hip.empty()) {
        return {"pytorch", State::limited,
                fmt::format("{} for ROCm {} in {}: the host and PyTorch's own account of tensors "
                            "are recorded, calls of the driver are not",
                            version, hip, python),
                ""};
    }
    return {"pytorch", State::ok,
            fmt::format("{} for CPUs in {}: tensors are memory of the host", version, python), ""};
}

}  // namespace

Pythons find_pythons(const std::string& asked) {
    Pythons pythons;
    if (!asked.empty()) {
        const Program program = find_program(asked);
        if (program.code == start_fine) pythons.paths.push_back(program.path);
        else pythons.problem = program.problem;
        return pythons;
    }
    for (const char* name : {"python3", "python"}) {
        const Program program = find_program(name);
        if (program.code == start_fine) pythons.paths.push_back(program.path);
    }
    if (pythons.paths.empty()) pythons.problem = "there is no python3 in $PATH";
    return pythons;
}

Findings judge_python(const nlohmann::json& facts, const Trial& trial) {
    Findings findings;
    const std::string executable = text_in(facts, "executable");
    const std::string what = fmt::format("{} {} ({})", text_in(facts, "implementation"),
                                         text_in(facts, "version"), executable);
    const std::string state = python_of(trial);
    if (state.starts_with("on")) {
        findings.push_back({"python", State::ok, what + ": its lines are recorded", ""});
    } else if (!trial.is_recorded()) {
        const std::string said = trial.said();
        findings.push_back({"python", State::no,
                            fmt::format("{}: a trial of it left no dump{}{}", what,
                                        said.empty() ? "" : ": ", said),
                            ""});
    } else {
        findings.push_back(
            {"python", State::limited,
             fmt::format("{}: its lines are not recorded ({})", what,
                         state.starts_with("off: ") ? state.substr(5) : "the dump names no Python"),
             upgrade});
    }
    if (facts.contains("torch") && facts["torch"].is_object()) {
        findings.push_back(judge_torch(facts["torch"], executable));
    }
    return findings;
}

Findings check_pythons(const std::string& asked, const std::string& folder,
                       const std::string& shim) {
    const Pythons pythons = find_pythons(asked);
    Findings findings;
    std::set<std::string> seen;
    for (const std::string& python : pythons.paths) {
        // Without the shim first: `python3` may be a script that starts another program.
        const Captured answer = run_captured({python, "-c", question}, {{"LD_PRELOAD", ""}});
        const auto facts = nlohmann::json::parse(answer.out, nullptr, false);
        const std::string executable = facts.is_object() ? text_in(facts, "executable") : "";
        if (executable.empty()) {
            findings.push_back(
                {"python", State::no,
                 fmt::format("{} does not answer (it ended with {})", python, answer.code), ""});
            continue;
        }
        // bin/python and bin/python3 are one interpreter, with one set of packages.
        const std::string place = executable.substr(0, executable.rfind('/'));
        if (!seen.insert(place + " " + text_in(facts, "version")).second) continue;
        const Trial trial =
            shim.empty() ? Trial{} : record_trial({executable, "-c", "pass"}, folder, shim);
        for (const Finding& finding : judge_python(facts, trial)) findings.push_back(finding);
    }
    if (!pythons.problem.empty()) {
        findings.push_back({"python", State::no, pythons.problem, ""});
    }
    const bool has_torch = std::any_of(findings.begin(), findings.end(),
                                       [](const Finding& one) { return one.subject == "pytorch"; });
    if (!seen.empty() && !has_torch) {
        findings.push_back({"pytorch", State::no, "not installed in these Pythons", ""});
    }
    return findings;
}

}  // namespace memtrace::launcher
