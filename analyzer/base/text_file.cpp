// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <tuple>

#include "analyzer/base/error.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {
namespace {

class TextFile {
public:
    TextFile(const std::string& path, const std::string& what, const std::string& if_missing)
        : path_(path), what_(what) {
        // Without O_NONBLOCK, a named pipe that nobody writes to would never open.
        fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        const int error = errno;
        if (fd_ < 0) fail(std::strerror(error) + (error == ENOENT ? if_missing : ""));
    }
    ~TextFile() { close(fd_); }
    TextFile(const TextFile&) = delete;
    TextFile& operator=(const TextFile&) = delete;

    std::string read(size_t bytes_max) {
        const struct stat before = status();
        refuse_what_is_no_text(before, bytes_max);
        std::string text;
        char part[1 << 16];
        for (ssize_t count = 1; count != 0;) {
            count = ::read(fd_, part, sizeof part);
            if (count < 0 && errno == EAGAIN) wait();
            if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
            if (count < 0) fail(std::strerror(errno));
            text.append(part, static_cast<size_t>(count));
            if (text.size() > bytes_max) fail_too_large(bytes_max);
        }
        const struct stat after = status();
        const auto version = [](const struct stat& of) {
            return std::tuple(of.st_size, of.st_mtim.tv_sec, of.st_mtim.tv_nsec);
        };
        const bool is_whole = text.size() == static_cast<size_t>(after.st_size);
        if (S_ISREG(after.st_mode) && is_sized(after) &&
            (version(before) != version(after) || !is_whole)) {
            fail("it changed while it was read; try again");
        }
        return text;
    }

private:
    // Files of /proc say that they are empty.
    static bool is_sized(const struct stat& of) { return of.st_size != 0; }

    struct stat status() const {
        struct stat status {};
        if (fstat(fd_, &status) != 0) fail(std::strerror(errno));
        return status;
    }

    void refuse_what_is_no_text(const struct stat& status, size_t bytes_max) const {
        if (S_ISDIR(status.st_mode)) fail("it is a folder, not a file");
        if (S_ISBLK(status.st_mode) || S_ISCHR(status.st_mode)) {
            fail("it is a device, not a file");
        }
        if (S_ISFIFO(status.st_mode) && !is_descriptor(path_)) {
            fail("it is a named pipe, not a file");
        }
        if (S_ISREG(status.st_mode) && static_cast<uint64_t>(status.st_size) > bytes_max) {
            fail_too_large(bytes_max);
        }
    }

    void wait() const {
        pollfd readable{fd_, POLLIN, 0};
        std::ignore = poll(&readable, 1, -1);
    }

    [[noreturn]] void fail_too_large(size_t bytes_max) const {
        fail(fmt::format("it has more than {}, the most that is read", human_bytes(bytes_max)));
    }

    [[noreturn]] void fail(const std::string& why) const {
        throw Error(fmt::format("cannot read {} {}: {}", what_, printable(path_), why));
    }

    const std::string& path_;
    const std::string& what_;
    int fd_ = -1;
};

}  // namespace

std::string read_text_file(const std::string& path, const std::string& what, size_t bytes_max,
                           const std::string& if_missing) {
    return TextFile(path, what, if_missing).read(bytes_max);
}

}  // namespace memtrace::analyzer
