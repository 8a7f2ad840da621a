// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/trial.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "analyzer/base/paths.h"
#include "analyzer/base/units.h"
#include "analyzer/cli/cli.h"
#include "launcher/doctor/finding.h"
#include "launcher/environment.h"
#include "launcher/process.h"

namespace memtrace::launcher {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view own_name = "memtrace: ";

// A folder for the JSON of the report, which goes with this object.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::error_code error;
        std::string pattern = (fs::temp_directory_path(error) / "memtrace-doctor-XXXXXX").string();
        if (!error && mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code error;
        if (!path_.empty()) fs::remove_all(path_, error);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

// Runs `memtrace-report info --json FILE DUMP` in a process of its own, silently.
nlohmann::json read_dump(const std::string& dump) {
    const TemporaryFolder folder;
    const std::string file = (folder.path() / "info.json").string();
    run_apart("the report of the trial", [&] {
        const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        const char* const words[] = {"memtrace-report", "info", "--json", file.c_str(),
                                     dump.c_str()};
        auto parsed = analyzer::parse_command_line(5, words);
        if (const int* code = std::get_if<int>(&parsed)) return *code;
        return analyzer::run_and_say(std::move(std::get<analyzer::Request>(parsed)));
    });
    std::ifstream text(file);
    return nlohmann::json::parse(text, nullptr, false);
}

// What to do about the reason that the recorder, or the loader, has given.
std::string advice_for(const std::string& said) {
    const auto says = [&](const char* word) { return said.find(word) != said.npos; };
    if (says("MEMTRACE_OPTIONS")) {
        return "Correct MEMTRACE_OPTIONS: memtrace run --options help=1 -- true lists what there "
               "is.";
    }
    if (says("ld.so")) {
        return "The loader refuses a library: MEMTRACE_LIBRARY names the recorder, LD_PRELOAD "
               "others.";
    }
    if (says("RLIMIT_")) return "Raise it: ulimit -v unlimited; ulimit -d unlimited.";
    if (says("MEMTRACE_OUTPUT"))
        return "Set MEMTRACE_OUTPUT, or memtrace run -o, to another place.";
    return "The lines below may name the reason. MEMTRACE_OUTPUT sets the place of the dump, "
           "MEMTRACE_LIBRARY the recorder.";
}

}  // namespace

std::string Trial::said() const {
    std::string all;
    for (size_t at = 0; at < program.err.size();) {
        size_t end = program.err.find('\n', at);
        if (end == std::string::npos) end = program.err.size();
        std::string_view line(program.err.data() + at, end - at);
        at = end + 1;
        const bool is_own = line.starts_with(own_name);
        if (is_own) line.remove_prefix(own_name.size());
        // The line of a recording that has gone well says nothing that the dump does not say.
        if (line.empty() || (is_recorded() && line.find("memtrace-report") != line.npos)) continue;
        all.append(all.empty() ? "" : "; ").append(line);
    }
    return all;
}

Trial record_trial(const std::vector<std::string>& command, const std::string& folder,
                   const std::string& shim, Changes changes) {
    const std::string stem = fmt::format("memtrace-doctor.{}.bin", getpid());
    const fs::path dump = fs::path(folder) / stem;
    const char* present = std::getenv("LD_PRELOAD");
    changes["LD_PRELOAD"] = preload_list(present != nullptr ? present : "", shim);
    changes["MEMTRACE_OUTPUT"] = dump.string();
    Trial trial;
    trial.program = run_captured(command, changes);
    std::error_code error;
    if (fs::is_regular_file(dump, error)) {
        trial.dump = read_dump(dump.string());
        if (!trial.dump.is_object() || !trial.dump.contains("capture")) trial.dump = nullptr;
    }
    if (trial.is_recorded()) {
        for (const auto& space : trial.dump.value("spaces", nlohmann::json::object())) {
            trial.allocations += space.value("allocations", uint64_t{0});
        }
    }
    // The program may have started others, whose dumps have names that begin like that.
    for (const auto& entry : fs::directory_iterator(folder, error)) {
        if (entry.path().filename().string().starts_with(stem)) fs::remove(entry.path(), error);
    }
    return trial;
}

Finding finding_of(const Trial& trial, const std::string& program, const std::string& folder) {
    if (trial.is_recorded()) {
        return {"recording", State::ok,
                fmt::format("a trial of {} left a dump in {} with {}", program, folder,
                            analyzer::counted(trial.allocations, "allocation")),
                ""};
    }
    const std::string said = trial.said();
    const std::string why = !said.empty()          ? said
                            : !trial.program.ended ? "it did not end"
                            : trial.program.code != 0
                                ? fmt::format("it ended with {}", trial.program.code)
                                : "and nothing says why";
    return {"recording", State::no,
            fmt::format("a trial of {} left no dump in {}: {}", program, folder, why),
            advice_for(said)};
}

}  // namespace memtrace::launcher
