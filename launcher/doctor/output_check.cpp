// SPDX-License-Identifier: Apache-2.0
#include "launcher/doctor/output_check.h"

#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

#include "analyzer/base/units.h"

namespace memtrace::launcher {
namespace {

namespace fs = std::filesystem;

// A small training writes this much in an hour.
constexpr uint64_t little_bytes = uint64_t{1} << 30;

}  // namespace

std::string folder_of(std::string_view output) {
    const size_t pattern = output.find('%');
    const std::string_view plain = output.substr(0, pattern);
    const size_t slash = plain.rfind('/');
    if (slash == plain.npos) return ".";
    return slash == 0 ? "/" : std::string(plain.substr(0, slash));
}

std::string file_system_of(std::string_view path, std::string_view mountinfo) {
    // "36 35 98:0 /root /mount/point rw,noatime master:1 - ext3 /dev/root rw"
    std::string best_type;
    size_t best = 0;
    std::istringstream lines{std::string(mountinfo)};
    for (std::string line; std::getline(lines, line);) {
        std::istringstream words(line);
        std::vector<std::string> fields;
        for (std::string word; words >> word;) fields.push_back(word);
        size_t dash = 5;
        while (dash < fields.size() && fields[dash] != "-") ++dash;
        if (dash + 1 >= fields.size()) continue;
        const std::string& point = fields[4];
        const bool covers = point == "/" || path == point || path.starts_with(point + "/");
        if (!covers || point.size() < best) continue;
        best = point.size();  // Of two mounts at one place, the later one is seen.
        best_type = fields[dash + 1];
    }
    return best_type;
}

Place read_place(const std::string& folder) {
    Place place{folder, "", 0, false, false};
    std::error_code error;
    const fs::path path = fs::canonical(folder, error);
    if (error || !fs::is_directory(path, error)) return place;
    place.is_folder = true;
    place.is_writable = access(path.c_str(), W_OK | X_OK) == 0;
    struct statvfs status {};
    if (statvfs(path.c_str(), &status) == 0) place.free_bytes = status.f_bavail * status.f_frsize;
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        place.longest_file = std::max<uint64_t>(limit.rlim_cur, 1);
    std::ifstream file("/proc/self/mountinfo");
    std::stringstream mounts;
    mounts << file.rdbuf();
    place.file_system = file_system_of(path.string(), mounts.str());
    return place;
}

Finding judge_place(const Place& place) {
    const std::string elsewhere = "Set MEMTRACE_OUTPUT, or memtrace run -o, to another place.";
    if (!place.is_folder) {
        return {"disk", State::no, fmt::format("{} is no folder", place.folder), elsewhere};
    }
    if (!place.is_writable) {
        return {"disk", State::no, fmt::format("{} cannot be written", place.folder), elsewhere};
    }
    const std::string room =
        fmt::format("{} free in {} ({})", analyzer::human_bytes(place.free_bytes), place.folder,
                    place.file_system.empty() ? "file system not known" : place.file_system);
    if (place.longest_file != 0 && place.longest_file < place.free_bytes) {
        return {"disk", State::limited,
                fmt::format("{}; a file may have {} at most (ulimit -f): there the recording ends. "
                            "With max_dump it turns to a sample before that, because parts of a "
                            "dump that were given back count, too",
                            room, analyzer::human_bytes(place.longest_file)),
                "Raise the limit (ulimit -f unlimited) for a long run."};
    }
    if (place.free_bytes < little_bytes) {
        return {
            "disk", State::limited,
            fmt::format("{}: a long run fills it, and what does not fit is counted as lost", room),
            elsewhere};
    }
    return {"disk", State::ok, room, ""};
}

}  // namespace memtrace::launcher
