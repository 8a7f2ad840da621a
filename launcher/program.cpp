// SPDX-License-Identifier: Apache-2.0
#include "launcher/program.h"

#include <elf.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "analyzer/base/paths.h"

namespace memtrace::launcher {
namespace {

constexpr int interpreters_max = 4;  // the kernel follows no more
constexpr size_t headers_max = 256;

bool is_file(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

Program not_executable(const std::string& path) {
    struct stat status {};
    const bool is_folder = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
    return {"", start_not_executable,
            fmt::format("{} cannot be run: {}", path,
                        is_folder ? "it is a folder" : std::strerror(errno ? errno : EACCES))};
}

Program found_at(const std::string& path) {
    errno = 0;
    if (is_file(path) && access(path.c_str(), X_OK) == 0) return {path, start_fine, ""};
    if (access(path.c_str(), F_OK) != 0 && errno != EACCES) {
        return {"", start_not_found, fmt::format("{}: there is no such file", path)};
    }
    errno = 0;
    (void)access(path.c_str(), X_OK);
    return not_executable(path);
}

// True if the process gets additional rights from the file. Then the loader takes no library from
// the environment.
bool is_secure(const std::string& path) {
    struct stat status {};
    if (stat(path.c_str(), &status) != 0) return false;
    if ((status.st_mode & S_ISUID) && status.st_uid != getuid()) return true;
    if ((status.st_mode & S_ISGID) && (status.st_mode & S_IXGRP) && status.st_gid != getgid()) {
        return true;
    }
    return getuid() != 0 && getxattr(path.c_str(), "security.capability", nullptr, 0) > 0;
}

// Returns the path after #!, without its argument, or an empty string.
std::string interpreter_of_script(std::string_view head) {
    if (!head.starts_with("#!")) return "";
    head = head.substr(0, head.find('\n'));
    const size_t begins = head.find_first_not_of(" \t", 2);
    if (begins == std::string_view::npos) return "";
    head = head.substr(begins);
    return std::string(head.substr(0, head.find_first_of(" \t\r")));
}

// Returns the loader that a 64-bit program names (PT_INTERP), or an empty string if it names none.
// Returns nothing if the file cannot be read.
std::optional<std::string> loader_of(std::ifstream& file, const Elf64_Ehdr& header) {
    if (header.e_phentsize != sizeof(Elf64_Phdr) || header.e_phnum > headers_max) return {};
    for (unsigned i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment{};
        file.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
        if (!file.read(reinterpret_cast<char*>(&segment), sizeof segment)) return {};
        if (segment.p_type != PT_INTERP) continue;
        if (segment.p_filesz == 0 || segment.p_filesz > 4096) return {};
        std::string loader(segment.p_filesz - 1, '\0');
        file.seekg(static_cast<std::streamoff>(segment.p_offset));
        if (!file.read(loader.data(), static_cast<std::streamsize>(loader.size()))) return {};
        return loader;
    }
    return "";
}

std::string_view file_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

Forecast forecast_elf(const std::string& path, std::ifstream& file, const Elf64_Ehdr& header) {
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != EM_X86_64) {
        return {
            Preload::ignored,
            fmt::format("{} is for another kind of processor than the recorder (x86-64)", path)};
    }
    const std::optional<std::string> loader = loader_of(file, header);
    if (!loader) return {};
    if (loader->empty()) {
        // The loader itself, started as a program, names no loader but preloads libraries.
        if (file_name(path).starts_with("ld-linux") || file_name(path) == "ld.so") return {};
        return {Preload::ignored,
                fmt::format("{} is statically linked, and loads no libraries", path)};
    }
    if (!file_name(*loader).starts_with("ld-linux")) {
        return {Preload::fatal, fmt::format("{} is built for another C library than glibc (its "
                                            "loader is {})",
                                            path, *loader)};
    }
    return {};
}

// How a file begins.
struct Head {
    bool is_elf = false;
    std::optional<Elf64_Ehdr> elf;  // nothing: the header is cut
    std::string interpreter;        // of a script; empty: it is none
};

Head read_head(std::ifstream& file) {
    Head head;
    char bytes[sizeof(Elf64_Ehdr)] = {};
    file.read(bytes, sizeof bytes);
    const std::string_view begins(bytes, static_cast<size_t>(file.gcount()));
    head.is_elf = begins.starts_with(ELFMAG);
    file.clear();
    if (head.is_elf && begins.size() == sizeof bytes) {
        std::memcpy(&head.elf.emplace(), bytes, sizeof bytes);
    } else if (begins.starts_with("#!")) {
        std::string line;
        file.seekg(0);
        std::getline(file, line);
        head.interpreter = interpreter_of_script(line);
    }
    return head;
}

}  // namespace

Program find_program(const std::string& name) {
    if (name.find('/') != std::string::npos) return found_at(name);
    const char* variable = std::getenv("PATH");
    std::string_view folders = variable != nullptr ? variable : "/usr/local/bin:/usr/bin:/bin";
    Program best{"", start_not_found,
                 fmt::format("{}: there is no such program in the folders of $PATH", name)};
    for (bool last = name.empty(); !last;) {
        const size_t end = folders.find(':');
        const std::string folder =
            end == 0 || folders.empty() ? "." : std::string(folders.substr(0, end));
        Program found = found_at(folder + "/" + name);
        if (found.code == start_fine) return found;
        if (found.code == start_not_executable && is_file(folder + "/" + name)) best = found;
        last = end == std::string_view::npos;
        if (!last) folders.remove_prefix(end + 1);
    }
    return best;
}

Forecast forecast_preload(const std::string& path) {
    std::string now = path;
    for (int i = 0; i <= interpreters_max; ++i) {
        if (is_secure(now)) {
            return {Preload::ignored, fmt::format("{} runs with rights of its own (set-uid or "
                                                  "capabilities), and the loader then preloads "
                                                  "nothing",
                                                  now)};
        }
        std::ifstream file(now, std::ios::binary);
        const Head head = read_head(file);
        if (head.is_elf) return head.elf ? forecast_elf(now, file, *head.elf) : Forecast{};
        if (head.interpreter.empty()) break;
        now = head.interpreter;
    }
    return {};
}

std::string why_environment_is_lost(const std::vector<std::string>& command) {
    if (command.empty() || analyzer::base_name(command[0]) != "env") return {};
    std::string loss;
    const auto is_unset = [](const std::string& name) { return name == "LD_PRELOAD"; };
    size_t i = 1;
    for (; i < command.size() && command[i].starts_with('-'); ++i) {
        const std::string& word = command[i];
        if (word == "--") break;
        const bool is_short = word.size() > 1 && word[1] != '-';
        if (word == "-" || word == "--ignore-environment") loss = word;
        if (word == "-u" || word == "--unset" || word == "-C" || word == "--chdir") {
            const bool unsets = word == "-u" || word == "--unset";
            if (++i < command.size() && unsets && is_unset(command[i])) loss = word + " LD_PRELOAD";
        } else if (word == "-uLD_PRELOAD" || word == "--unset=LD_PRELOAD") {
            loss = word;
        } else if (is_short && word[1] != 'u' && word[1] != 'C' && word[1] != 'S' &&
                   word.find('i') != std::string::npos) {
            loss = word;
        }
    }
    // Who gives the program the shim by name knows what to do.
    for (; i < command.size() && command[i].find('=') != std::string::npos; ++i) {
        if (command[i].starts_with("LD_PRELOAD=")) return {};
    }
    // Without a program, env prints the environment.
    if (loss.empty() || i >= command.size()) return {};
    return fmt::format(
        "env {} takes LD_PRELOAD, and with it memtrace, out of the environment of the program, "
        "which "
        "runs unrecorded; put memtrace behind it: env {} $(command -v memtrace) run -- PROGRAM",
        loss, loss);
}

std::string why_nothing_is_recorded(const std::vector<std::string>& command) {
    const std::string lost = why_environment_is_lost(command);
    if (!lost.empty()) return lost;
    return "shells and programs that only start others (sh, env, nice, timeout) are not recorded "
           "themselves, unless MEMTRACE_OPTIONS has children=all, and a program that they start is "
           "not if it is static, has rights of its own or gets another environment";
}

Loading loading_of(const std::string& path) {
    Loading loading{path, ""};
    for (int i = 0; i <= interpreters_max; ++i) {
        std::ifstream file(loading.program, std::ios::binary);
        const Head head = read_head(file);
        if (head.elf) {
            const bool is_ours =
                head.elf->e_ident[EI_CLASS] == ELFCLASS64 && head.elf->e_machine == EM_X86_64;
            const std::string loader = is_ours ? loader_of(file, *head.elf).value_or("") : "";
            if (file_name(loader).starts_with("ld-linux")) loading.loader = loader;
            return loading;
        }
        if (head.interpreter.empty()) break;
        loading.program = head.interpreter;
    }
    return loading;
}

}  // namespace memtrace::launcher
