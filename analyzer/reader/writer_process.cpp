// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/writer_process.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace memtrace::analyzer {
namespace {

namespace fs = std::filesystem;

// True if the process in this folder has this start time and is no zombie.
bool has_start(const std::string& process, uint64_t start) {
    constexpr int state_field = 3, start_field = 22;
    if (process_stat(process, start_field) != std::to_string(start)) return false;
    const std::string state = process_stat(process, state_field);
    return state != "Z" && state != "X";
}

}  // namespace

std::string process_stat(const std::string& process, int field) {
    std::ifstream file(process + "/stat");
    std::string text;
    std::getline(file, text, '\0');  // all of it; nothing if the process ends meanwhile
    // "pid (name) state parent …"; the name may have brackets, spaces, and ends of lines.
    const size_t bracket = text.rfind(") ");
    if (bracket == std::string::npos) return "";
    std::istringstream fields(text.substr(bracket + 2));
    std::string value;
    for (int number = 3; number <= field; ++number) {
        if (!(fields >> value)) return "";
    }
    return value;
}

uint64_t inner_process_id(const std::string& process) {
    std::ifstream file(process + "/status");
    for (std::string line; std::getline(file, line);) {
        if (!line.starts_with("NSpid:")) continue;
        std::istringstream ids(line.substr(line.find(':') + 1));
        uint64_t id = 0;
        while (ids >> id) {
        }
        return id;
    }
    return 0;
}

uint64_t running_process(uint64_t inner_id, uint64_t start) {
    if (inner_id == 0 || start == 0) return 0;
    // Another process may have that number here, and may even have started in the same tick.
    const auto is_it = [&](const std::string& process) {
        return has_start(process, start) && inner_process_id(process) == inner_id;
    };
    const std::string same_number = "/proc/" + std::to_string(inner_id);
    const bool is_old_kernel = inner_process_id("/proc/self") == 0;  // It does not list the ids.
    if (is_old_kernel ? has_start(same_number, start) : is_it(same_number)) return inner_id;
    std::error_code error;
    for (fs::directory_iterator process("/proc", error), end; !error && process != end;
         process.increment(error)) {
        const std::string path = process->path().string();
        const std::string name = process->path().filename().string();
        if (name[0] < '1' || name[0] > '9') continue;
        if (is_it(path)) return std::stoull(name);
    }
    return 0;
}

}  // namespace memtrace::analyzer
