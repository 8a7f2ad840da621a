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
        folder.append_from(  // less the zero byte
            [](char* room, size_t size) { return sys::getcwd(room, size) - 1; });
        if (folder.size() == 0) folder << "/tmp";
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
    const sys::MappedItem<Path> executable;
    if (executable) find_executable(*executable);
    std::string_view program = executable ? last_part(executable->view()) : "unknown";
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

constexpr std::string_view default_name = "memtrace.%e.%p.bin";

std::string_view pattern() {
    const std::string_view wanted = starting_environment("MEMTRACE_OUTPUT");
    return wanted.empty() ? default_name : wanted;
}

bool pattern_has(char letter) {
    const std::string_view text = pattern();
    for (size_t i = 0; i + 1 < text.size(); ++i) {
        if (text[i] == '%' && text[i + 1] == letter) return true;
        if (text[i] == '%') ++i;
    }
    return false;
}

// Appends `text` with its patterns replaced.
void expand_text(std::string_view text, Path& path, unsigned attempt) {
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

bool is_folder(const char* path) {
    struct stat status;
    return sys::stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// Appends the pattern with everything replaced. A folder gets a name in it. Returns false then,
// because the pid is in that name.
bool expand(Path& path, unsigned attempt) {
    if (pattern()[0] != '/') path << starting_folder().view() << '/';
    expand_text(pattern(), path, attempt);
    if (!is_folder(path.c_str())) return true;
    path << '/';
    expand_text(default_name, path, attempt);
    return false;
}

// Returns true if the file is a dump, and reads its header.
bool read_dump_header(int fd, FileHeader& header) {
    const long got = sys::read(fd, &header, sizeof header);
    return got == static_cast<long>(sizeof header) &&
           std::memcmp(header.magic, file_magic, sizeof file_magic) == 0 &&
           header.checksum == hash_bytes(&header, header_checksum_offset);
}

// A file at a path, locked against other processes that want to put the same file away. Whoever
// holds the lock and still finds this file at the path knows that nobody else puts it away. The
// process that records into a dump holds a lock of it, too (dump_file.cpp).
class LockedFile {
public:
    explicit LockedFile(const char* path)
        : fd_(sys::open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)) {
        struct stat there;
        is_locked_ = fd_ >= 0 && sys::lock_now(fd_, LOCK_EX) == 0 &&
                     sys::fstat(fd_, &status_) == 0 && sys::lstat(path, &there) == 0 &&
                     there.st_dev == status_.st_dev && there.st_ino == status_.st_ino;
    }
    ~LockedFile() {
        if (fd_ >= 0) sys::close(fd_);
    }
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    explicit operator bool() const { return is_locked_; }
    int fd() const { return fd_; }
    const timespec& last_written() const { return status_.st_mtim; }
    uid_t owner() const { return status_.st_uid; }

private:
    int fd_;
    struct stat status_ = {};
    bool is_locked_ = false;
};

int64_t nanoseconds(const timespec& time) {
    return int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Returns true if this process surely began before this moment of the calendar clock: then it is no
// later run of the same program. The kernel tells the beginning in units of 10 ms.
bool began_before(const timespec& moment) {
    constexpr int64_t start_unit_ns = 10'000'000;
    timespec calendar, since_boot;
    sys::clock_now(CLOCK_REALTIME, &calendar);
    sys::clock_now(CLOCK_BOOTTIME, &since_boot);
    const int64_t age = nanoseconds(calendar) - nanoseconds(moment);
    const auto start = static_cast<int64_t>(process_start_of(sys::pid()));
    return start != 0 && (start + 1) * start_unit_ns < nanoseconds(since_boot) - age;
}

}  // namespace

void make_output_path(Path& path, bool is_child) {
    const bool is_as_wanted = expand(path, 0);
    if (is_as_wanted && is_child && !pattern_has('p') && !pattern_has('n'))
        path << '.' << sys::pid();
}

bool is_no_place_for_a_dump(const char* path) {
    struct stat status;
    return sys::stat(path, &status) == 0 && !S_ISREG(status.st_mode);
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
    if (pattern_has('n')) return false;
    const LockedFile file(path.c_str());
    if (!file || file.owner() != geteuid() || !read_dump_header(file.fd(), header)) return false;
    const bool is_ours = header.pid == static_cast<uint64_t>(sys::pid()) &&
                         header.process_start == process_start_of(sys::pid());
    // The pid in a name tells processes apart, but not the images of one that replaced its program
    // by exec.
    if (pattern_has('p') && !is_ours) return false;
    const bool creator_lives =
        !is_ours && process_start_of(static_cast<int>(header.pid)) == header.process_start;
    if (creator_lives) return false;
    if (!is_ours && began_before(file.last_written())) return false;
    if (!is_ours && keep_since != 0 && header.process_start >= keep_since) return false;
    if (!is_ours && header.children.value() == 0) return sys::unlink(path.c_str()) == 0;
    // Keeps this process's own dump from before exec, and a dump with children that may still be
    // running.
    const sys::MappedItem<Path> aside;
    for (unsigned attempt = 1; aside && attempt < 1000; ++attempt) {
        aside->clear();
        *aside << path.view() << ".before." << header.pid << '.' << static_cast<uint64_t>(attempt);
        const long result = sys::rename_to_new(path.c_str(), aside->c_str());
        if (result != -EEXIST) return result == 0;
    }
    return false;
}

}  // namespace memtrace::preload
