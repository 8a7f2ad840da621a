// SPDX-License-Identifier: Apache-2.0
#include "launcher/live/control_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"

namespace memtrace::launcher {
namespace {

using analyzer::Error;

// Returns the header page of the dump, or MAP_FAILED with errno.
void* map_header(const std::string& dump) {
    const int fd = open(dump.c_str(), O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) return MAP_FAILED;
    struct stat status {};
    const bool is_long = fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
                         status.st_size >= static_cast<off_t>(page_bytes);
    if (!is_long) errno = EINVAL;
    void* const page =
        is_long ? mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) : MAP_FAILED;
    const int error = errno;
    close(fd);
    errno = error;
    return page;
}

}  // namespace

ControlPage::ControlPage(const std::string& dump, const std::string& name)
    : page_(map_header(dump)) {
    if (page_ != MAP_FAILED) return;
    if (errno == EACCES || errno == EPERM) {
        throw Error(fmt::format("this user may not ask {}; the user who started it may", name));
    }
    throw Error(fmt::format("cannot ask {}: {}", name, std::strerror(errno)));
}

ControlPage::~ControlPage() { munmap(page_, page_bytes); }

Control& ControlPage::words() const {
    return *reinterpret_cast<Control*>(static_cast<char*>(page_) + control_offset);
}

std::string name_of(const analyzer::RecordedProgram& program) {
    if (program.command.empty()) return fmt::format("the program of {}", program.dump_name);
    return fmt::format("process {} ({})", program.pid, analyzer::printable(program.command));
}

}  // namespace memtrace::launcher
