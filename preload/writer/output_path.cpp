// SPDX-License-Identifier: Apache-2.0
#include "preload/writer/output_path.h"

#include <errno.h>
#include <unistd.h>

#include <cstring>

#include "memtrace/dump/hash.h"
#include "preload/base/process_info.h"
#include "preload/base/sys.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {
namespace {

// Returns the folder that relative names start from: the folder of the start, wherever the
// program goes later.
const Path& starting_folder() {
    static Path folder;
    if (folder.size() == 0) {
        char text[4096];
        const long length = sys::getcwd(text, sizeof text);
        folder << (length > 1 ? std::string_view(text, static_cast<size_t>(length - 1)) : "/tmp");
    }
    return folder;
}

std::string_view last_part(std::string_view path) {
    const size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view argument(unsigned index) {
    std::string_view rest = command_line();
    for (; index > 0 && !rest.empty(); --index) {
        const size_t end = rest.find('\0');
        rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    }
    return rest.substr(0, rest.find('\0'));
}

// Appends what a person would call the program: the script or module of an interpreter, otherwise
// the program itself.
void program_name(Path& name) {
    Path executable;
    find_executable(executable);
    std::string_view program = last_part(executable.view());
    if (program.substr(0, 6) == "python") {
        for (unsigned i = 1; !argument(i).empty(); ++i) {
            const std::string_view text = argument(i);
            if (text == "-c" || text == "-") break;
            if (text == "-m") {
                program = argument(i + 1);
                break;
            }
            if (text == "-W" || text == "-X") {
                ++i;
                continue;
            }
            if (text[0] != '-') {
                program = last_part(text);
                break;
            }
        }
    }
    for (const char c : program.substr(0, 100)) {
        const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                           (c >= 'A' && c <= 'Z') || c == '.' || c == '-' || c == '_' || c == '+';
        name << (plain ? c : '_');
    }
}

std::string_view pattern() {
    const std::string_view wanted = starting_environment("MEMTRACE_OUTPUT");
    return wanted.empty() ? "memtrace.%e.%p.bin" : wanted;
}

bool pattern_has(char letter) {
    const std::string_view text = pattern();
    for (size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '%' && text[i + 1] == letter) return true;
        if (text[i] == '%') ++i;
    }
    return false;
}

void expand(Path& path, unsigned attempt) {
    const std::string_view text = pattern();
    if (text[0] != '/') path << starting_folder().view() << '/';
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%' || i + 1 == text.size()) {
            path << text[i];
            continue;
        }
        switch (text[++i]) {
            case 'p': path << sys::pid(); break;
            case 'e': program_name(path); break;
            case 'n': path << static_cast<uint64_t>(attempt + 1); break;
            case '%': path << '%'; break;
            case 'r': {
                const std::string_view rank = rank_variable();
                const size_t equals = rank.find('=');
                path << (equals == std::string_view::npos ? "0" : rank.substr(equals + 1));
                break;
            }
            default: path << '%' << text[i];
        }
    }
}

// Reads the header of a file and returns true if the file is a dump.
bool read_dump_header(const char* path, FileHeader& header) {
    const int fd = sys::open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (fd < 0) return false;
    const long got = sys::read(fd, &header, sizeof header);
    sys::close(fd);
    return got == static_cast<long>(sizeof header) &&
           std::memcmp(header.magic, file_magic, sizeof file_magic) == 0 &&
           header.checksum == hash_bytes(&header, header_checksum_offset);
}

}  // namespace

void make_output_path(Path& path, bool is_child) {
    expand(path, 0);
    if (is_child && !pattern_has('p') && !pattern_has('n')) path << '.' << sys::pid();
}

void next_output_path(Path& path, unsigned attempt, bool is_child) {
    path.clear();
    if (pattern_has('n')) {
        expand(path, attempt);
        return;
    }
    make_output_path(path, is_child);
    path << '.' << static_cast<uint64_t>(sys::pid());
    if (attempt > 1) path << '.' << static_cast<uint64_t>(attempt);
}

bool clear_stale_dump(const Path& path, uint64_t keep_since) {
    FileHeader header;
    struct stat status;
    if (pattern_has('p') || pattern_has('n')) return false;
    if (!read_dump_header(path.c_str(), header)) return false;
    if (sys::stat(path.c_str(), &status) != 0 || status.st_uid != geteuid()) return false;
    const bool is_ours = header.pid == static_cast<uint64_t>(sys::pid()) &&
                         header.process_start == process_start_of(sys::pid());
    const bool creator_lives =
        !is_ours && process_start_of(static_cast<int>(header.pid)) == header.process_start;
    if (creator_lives) return false;
    if (!is_ours && keep_since != 0 && header.process_start >= keep_since) return false;
    if (!is_ours && header.children == 0) return sys::unlink(path.c_str()) == 0;
    // Keeps this process's own dump from before exec, and a dump with children that may still be
    // running.
    for (unsigned attempt = 1; attempt < 1000; ++attempt) {
        Path aside(path.view());
        aside << ".before." << header.pid << '.' << static_cast<uint64_t>(attempt);
        struct stat other;
        if (sys::stat(aside.c_str(), &other) == -ENOENT) {
            return sys::rename(path.c_str(), aside.c_str()) == 0;
        }
    }
    return false;
}

}  // namespace memtrace::preload
