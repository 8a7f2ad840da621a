// SPDX-License-Identifier: Apache-2.0
#include "launcher/dumps.h"

#include <fmt/format.h>
#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "memtrace/dump/format.h"

namespace memtrace::launcher {
namespace {

struct FoundDump {
    std::string path;
    DumpIdentity identity;

    uint64_t pid() const { return std::get<0>(identity); }
};

std::optional<DumpIdentity> identity_of(const char* path) {
    FileHeader header{};
    std::ifstream file(path, std::ios::binary);
    if (!file.read(reinterpret_cast<char*>(&header), sizeof header)) return {};
    if (std::memcmp(header.magic, file_magic, sizeof file_magic) != 0) return {};
    return DumpIdentity{header.pid, header.process_start, header.ticks_zero};
}

// The shim may append ".<pid>" to the requested name. It may rename an older dump of that name by
// appending ".before.<pid>.<n>".
std::vector<FoundDump> find_dumps(const std::string& output) {
    std::vector<FoundDump> found;
    const std::string pattern = glob_pattern(output);
    for (const std::string& each : {pattern, pattern + ".*"}) {
        glob_t paths{};
        if (glob(each.c_str(), 0, nullptr, &paths) == 0) {
            for (size_t i = 0; i < paths.gl_pathc; ++i) {
                const auto identity = identity_of(paths.gl_pathv[i]);
                if (identity) found.push_back({paths.gl_pathv[i], *identity});
            }
        }
        globfree(&paths);
    }
    return found;
}

}  // namespace

std::string default_output() { return fmt::format("memtrace.%e.{}.%p.bin", getpid()); }

std::string glob_pattern(const std::string& output) {
    std::string pattern;
    for (size_t i = 0; i < output.size(); ++i) {
        const char next = i + 1 < output.size() ? output[i + 1] : '\0';
        if (output[i] == '%' && next != '\0' &&
            std::string_view("penr").find(next) != std::string_view::npos) {
            pattern += '*';
            ++i;
        } else if (output[i] == '%' && next == '%') {
            pattern += '%';
            ++i;
        } else {
            if (std::string_view("*?[\\").find(output[i]) != std::string_view::npos) {
                pattern += '\\';
            }
            pattern += output[i];
        }
    }
    return pattern;
}

DumpsOfRun::DumpsOfRun(std::string output) : output_(std::move(output)) {
    for (const FoundDump& dump : find_dumps(output_)) before_.insert(dump.identity);
}

std::vector<std::string> DumpsOfRun::made(int pid) const {
    std::vector<FoundDump> found = find_dumps(output_);
    std::erase_if(found, [&](const FoundDump& dump) { return before_.contains(dump.identity); });
    std::sort(found.begin(), found.end(), [&](const FoundDump& a, const FoundDump& b) {
        const auto rank = [&](const FoundDump& dump) {
            const bool is_first = dump.pid() == static_cast<uint64_t>(pid);
            const uint64_t began = std::get<2>(dump.identity);
            return std::tuple(!is_first, std::get<1>(dump.identity), is_first ? ~began : began,
                              dump.path);
        };
        return rank(a) < rank(b);
    });
    std::vector<std::string> paths;
    for (const FoundDump& dump : found) {
        if (paths.empty() || paths.back() != dump.path) paths.push_back(dump.path);
    }
    return paths;
}

}  // namespace memtrace::launcher
