// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/growth_job.h"

#include <stdlib.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>
#include <variant>

#include "analyzer/base/error.h"
#include "analyzer/cli/cli.h"
#include "analyzer/cli/run.h"
#include "launcher/live/now.h"

namespace memtrace::launcher {
namespace {

constexpr uint64_t first_ns = 15 * second_ns;  // A shorter run says little.
constexpr uint64_t pause_ns = 60 * second_ns;  // from one report to the next, at least
constexpr uint64_t share = 100;                // The reports take this part of one core, at most.

std::string growth_of(const std::string& dump) {
    namespace fs = std::filesystem;
    std::string folder = (fs::temp_directory_path() / "memtrace.XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw analyzer::Error("no temporary folder");
    const std::string json = folder + "/growth.json";
    const char* const words[] = {"memtrace-report", "growth", "--json", json.c_str(), dump.c_str()};
    std::string text;
    try {
        auto parsed = analyzer::parse_command_line(5, words);
        if (auto* request = std::get_if<analyzer::Request>(&parsed)) analyzer::run(*request);
        std::ifstream file(json);
        text.assign(std::istreambuf_iterator<char>(file), {});
    } catch (...) {
        fs::remove_all(folder);
        throw;
    }
    fs::remove_all(folder);
    return text;
}

}  // namespace

GrowthJob::GrowthJob(std::string dump, uint64_t time_ns)
    : dump_(std::move(dump)), next_ns_(now_ns() + first_ns - std::min(first_ns, time_ns)) {}

std::optional<analyzer::LiveVerdicts> GrowthJob::poll() {
    if (!job_.is_running()) {
        if (now_ns() >= next_ns_) job_.start([this] { return growth_of(dump_); });
        return std::nullopt;
    }
    const std::optional<std::string> text = job_.poll();
    if (job_.is_running()) return std::nullopt;
    next_ns_ = now_ns() + std::max(pause_ns, job_.cpu_ns() * share);
    if (!text) return std::nullopt;
    try {
        return analyzer::read_live_verdicts(*text);
    } catch (const std::exception&) {
        return std::nullopt;  // The dump could not be read to its end. It is read again later.
    }
}

}  // namespace memtrace::launcher
