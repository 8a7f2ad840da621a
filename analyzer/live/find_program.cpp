// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/find_program.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/reader/writer_process.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {
namespace {

namespace fs = std::filesystem;

std::optional<uint64_t> number_of(const std::string& text) {
    uint64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
    return number;
}

// Returns the header of the file if it is a dump that is recorded now.
std::optional<FileHeader> recording_header(const std::string& path) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return std::nullopt;
    FileHeader header{};
    const bool is_whole = pread(fd, &header, sizeof header, 0) == ssize_t{sizeof header};
    close(fd);
    if (!is_whole || std::memcmp(header.magic, file_magic, sizeof file_magic) != 0) {
        return std::nullopt;
    }
    if (header.state.value() != static_cast<uint32_t>(State::recording)) return std::nullopt;
    return header;
}

std::string first_line(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// Returns the dump among the files that the process has open. A child has those of its parent open
// until it begins a dump of its own, so the header must name the process.
std::optional<RecordedProgram> program_of(const std::string& process) {
    const std::optional<uint64_t> pid = number_of(fs::path(process).filename().string());
    std::error_code error;
    for (fs::directory_iterator file(process + "/fd", error), end; !error && file != end;
         file.increment(error)) {
        std::error_code failed;
        const std::string target = fs::read_symlink(file->path(), failed).string();
        // Looking into pipes and devices might disturb the program.
        if (failed || !target.starts_with('/') || target.starts_with("/dev/")) continue;
        if (!fs::is_regular_file(file->path(), failed)) continue;
        const std::optional<FileHeader> header = recording_header(file->path().string());
        if (!header || header->pid != inner_process_id(process)) continue;
        return RecordedProgram{pid.value_or(0), first_line(process + "/comm"),
                               file->path().string(), target};
    }
    return std::nullopt;
}

std::string list_of(const std::vector<RecordedProgram>& programs) {
    constexpr size_t shown_max = 10;
    std::string text;
    for (size_t i = 0; i < std::min(programs.size(), shown_max); ++i) {
        text += fmt::format("\n  {:>7}  {}  {}", programs[i].pid, printable(programs[i].command),
                            printable(programs[i].dump_name));
    }
    if (programs.size() > shown_max) {
        text += fmt::format("\n  and {} more", programs.size() - shown_max);
    }
    return text;
}

RecordedProgram only_program() {
    std::vector<RecordedProgram> programs = find_recorded_programs();
    if (programs.size() == 1) return programs[0];
    if (programs.empty()) {
        throw Error(
            "no program is recorded on this machine now, as far as this user may see; "
            "memtrace run PROGRAM starts one");
    }
    throw Error("several programs are recorded now; name the process id of one:" +
                list_of(programs));
}

// True if `process` descends from `ancestor`.
bool descends(uint64_t process, uint64_t ancestor) {
    constexpr int generations_max = 64;
    for (int i = 0; i < generations_max && process > 1; ++i) {
        if (process == ancestor) return true;
        constexpr int parent_field = 4;
        const std::string parent = process_stat(fmt::format("/proc/{}", process), parent_field);
        process = number_of(parent).value_or(0);
    }
    return false;
}

RecordedProgram program_with_id(uint64_t pid) {
    const std::string process = fmt::format("/proc/{}", pid);
    if (!fs::exists(process)) throw Error(fmt::format("there is no process {}", pid));
    if (auto program = program_of(process)) return *program;
    std::error_code error;
    fs::directory_iterator(process + "/fd", error);
    if (error) {
        throw Error(fmt::format(
            "this user may not look into process {}; the user who started it may", pid));
    }
    std::vector<RecordedProgram> children = find_recorded_programs();
    std::erase_if(children, [&](const auto& other) { return !descends(other.pid, pid); });
    if (children.size() == 1) return children[0];
    if (!children.empty()) {
        throw Error(
            fmt::format("process {} is not recorded, but processes that it started are; "
                        "name one:{}",
                        pid, list_of(children)));
    }
    throw Error(
        fmt::format("process {} is not recorded: start it with memtrace run, or with "
                    "LD_PRELOAD=libmemtrace.so",
                    pid));
}

}  // namespace

std::vector<RecordedProgram> find_recorded_programs() {
    std::vector<RecordedProgram> programs;
    std::error_code error;
    for (fs::directory_iterator process("/proc", error), end; !error && process != end;
         process.increment(error)) {
        if (!number_of(process->path().filename().string())) continue;
        if (auto program = program_of(process->path().string())) programs.push_back(*program);
    }
    std::sort(programs.begin(), programs.end(),
              [](const auto& a, const auto& b) { return a.pid < b.pid; });
    return programs;
}

void require_running(const RecordedProgram& program) {
    const std::string name = printable(program.dump_name);
    std::error_code error;
    const bool exists = fs::exists(program.dump, error);
    if (error) throw Error(fmt::format("this user may not look at {}", name));
    if (!exists) throw Error(fmt::format("there is no such file: {}", name));
    const std::optional<FileHeader> header = recording_header(program.dump);
    if (!header) {
        throw Error(fmt::format("{} is not being recorded, or this user may not read it", name));
    }
    if (running_process(header->pid, header->process_start) != 0) return;
    throw Error(fmt::format("the program that wrote {} does not run any more", name));
}

RecordedProgram find_program(const std::string& name) {
    if (name.empty()) return only_program();
    if (const std::optional<uint64_t> pid = number_of(name); pid && !fs::exists(name)) {
        return program_with_id(*pid);
    }
    RecordedProgram program;
    program.dump = program.dump_name = name;
    // In a container the process has another number than its dump says.
    if (const auto header = recording_header(name))
        program.pid = running_process(header->pid, header->process_start);
    if (program.pid != 0) program.command = first_line(fmt::format("/proc/{}/comm", program.pid));
    return program;
}

}  // namespace memtrace::analyzer
