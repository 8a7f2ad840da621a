// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gnu/libc-version.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "analyzer/base/error.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/commands/command.h"
#include "launcher/doctor/allocator_check.h"
#include "launcher/doctor/gpu_check.h"
#include "launcher/doctor/loaded_objects.h"
#include "launcher/doctor/machine.h"
#include "launcher/doctor/output_check.h"
#include "launcher/doctor/python_check.h"
#include "launcher/doctor/trial.h"
#include "launcher/environment.h"
#include "launcher/program.h"
#include "launcher/say.h"

namespace memtrace::launcher {
namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? value : "";
}

// Returns a program that surely runs here: memtrace-report beside this one, or else `true`.
std::vector<std::string> program_of_trial() {
    namespace fs = std::filesystem;
    std::error_code error;
    const fs::path reporter = fs::path(own_folder()) / "memtrace-report";
    if (fs::is_regular_file(reporter, error)) return {reporter.string(), "--version"};
    const Program found = find_program("true");
    return {found.code == start_fine ? found.path : "/bin/true"};
}

// Notes of the trial's dump: what this place or machine takes from a recording.
void add_notes(const Trial& trial, Findings& findings) {
    for (const auto& note : trial.dump.value("notes", nlohmann::json::array())) {
        const std::string text =
            note.is_string() ? note.get<std::string>() : note.value("text", "");
        if (!text.empty()) findings.push_back({"recording", State::limited, text, ""});
    }
}

// Judges a program that is named, and reads what would be loaded for it. `loaded` is unchanged if
// it cannot be recorded.
Finding judge_program(const std::string& name, LoadedObjects& loaded) {
    const Program program = find_program(name);
    if (program.code != start_fine) return {"program", State::no, program.problem, ""};
    const Forecast forecast = forecast_preload(program.path);
    if (forecast.preload != Preload::works) return {"program", State::no, forecast.reason, ""};
    LoadedObjects its = read_loaded_objects(program.path, entries_of_allocators());
    if (!its.missing.empty()) {
        return {"program", State::no,
                fmt::format("{} does not start: {} is not found", program.path,
                            fmt::join(its.missing, ", ")),
                "Install the library, or set LD_LIBRARY_PATH to its folder."};
    }
    if (!its.objects.empty()) loaded = std::move(its);
    return {"program", State::ok, program.path + ": the loader preloads the recorder", ""};
}

bool has_no(const Findings& findings, std::string_view subject) {
    return std::any_of(findings.begin(), findings.end(), [&](const Finding& one) {
        return one.subject == subject && one.state == State::no;
    });
}

void append(Findings& findings, Findings more) {
    for (Finding& finding : more) findings.push_back(std::move(finding));
}

}  // namespace

Diagnosis examine(const DoctorRequest& request) {
    Diagnosis diagnosis;
    diagnosis.system = system_name();
    const std::string output =
        request.output.empty() ? variable("MEMTRACE_OUTPUT") : request.output;
    const std::string folder = folder_of(output);
    Findings& findings = diagnosis.findings;
    const std::vector<std::string> program = program_of_trial();
    std::string shim;
    try {
        shim = find_shim();
        const Trial trial = record_trial(program, folder, shim);
        diagnosis.works = trial.is_recorded();
        findings.push_back(finding_of(trial, analyzer::base_name(program[0]), folder));
        if (trial.is_recorded()) add_notes(trial, findings);
    } catch (const analyzer::Error& error) {
        findings.push_back({"recording", State::no, error.what(), ""});
    }
    const bool works = diagnosis.works;
    LoadedObjects loaded = read_loaded_objects(program[0], entries_of_allocators());
    if (!request.program.empty()) {
        findings.push_back(judge_program(request.program, loaded));
    }
    findings.push_back(judge_place(read_place(folder)));
    findings.push_back(judge_libc(gnu_get_libc_version(), works));
    append(findings, judge_memory(read_memory()));
    append(findings, judge_allocators(loaded, variable("PYTHONMALLOC")));
    append(findings, judge_system_calls(read_system_calls(), works));
    append(findings, check_pythons(request.python, folder, works ? shim : ""));
    findings.push_back(judge_gpu(read_gpu()));
    const bool is_hindered = has_no(findings, "program") || has_no(findings, "allocator");
    if (!request.program.empty() && is_hindered) diagnosis.refused.push_back(request.program);
    if (!request.python.empty() && has_no(findings, "python")) {
        diagnosis.refused.push_back(request.python);
    }
    return diagnosis;
}

int run_doctor(const DoctorRequest& request) {
    const Diagnosis diagnosis = examine(request);
    const bool is_text = request.json != "-";
    try {
        if (is_text) {
            const std::string text = doctor_text(diagnosis, analyzer::terminal_width(STDOUT_FILENO),
                                                 analyzer::wants_colour(STDOUT_FILENO));
            analyzer::ReportOutput out("-");
            out.write(text);
            out.finish();
        }
        if (!request.json.empty()) {
            analyzer::ReportOutput out(request.json);
            out.write(doctor_json(diagnosis));
            out.finish();
        }
    } catch (const analyzer::Error& error) {
        say(error.what());
        return analyzer::exit_cannot;
    }
    return diagnosis.is_fine() ? 0 : 1;
}

}  // namespace memtrace::launcher
