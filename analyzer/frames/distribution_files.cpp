// SPDX-License-Identifier: Apache-2.0
#include "analyzer/frames/distribution_files.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

namespace memtrace::analyzer {

namespace {

namespace fs = std::filesystem;

using Files = std::set<std::string, std::less<>>;  // relative to the folder

// A line is the path, its hash and its size. A path with a comma or a quote is quoted, and quotes
// in it are doubled.
std::string path_of_line(const std::string& line) {
    if (!line.starts_with('"')) return line.substr(0, line.find(','));
    std::string path;
    for (size_t i = 1; i < line.size(); ++i) {
        if (line[i] == '"' && (i + 1 >= line.size() || line[++i] != '"')) break;
        path += line[i];
    }
    return path;
}

void read_list(const fs::path& list, Files& files) {
    std::ifstream in(list);
    for (std::string line; std::getline(in, line);) files.insert(path_of_line(line));
}

Files read_lists(const fs::path& folder) {
    Files files;
    std::error_code error;
    for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
        const fs::path list = at->path() / "RECORD";
        std::error_code unknown;
        // A pipe of this name would never end.
        if (at->path().extension() == ".dist-info" && fs::is_regular_file(list, unknown)) {
            read_list(list, files);
        }
    }
    return files;
}

}  // namespace

bool is_of_distribution(std::string_view path) {
    if (!path.starts_with('/')) return false;
    static std::mutex mutex;
    static std::map<std::string, Files, std::less<>> lists;  // by folder
    const std::lock_guard lock(mutex);
    for (size_t slash = path.rfind('/'); slash != 0; slash = path.rfind('/', slash - 1)) {
        const std::string_view folder = path.substr(0, slash);
        auto found = lists.find(folder);
        if (found == lists.end()) {
            found = lists.emplace(folder, read_lists(fs::path(folder))).first;
        }
        if (found->second.contains(path.substr(slash + 1))) return true;
    }
    return false;
}

}  // namespace memtrace::analyzer
