// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/report_output.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <tuple>

#include "analyzer/base/error.h"

namespace memtrace::analyzer {
namespace {

namespace fs = std::filesystem;

// True if the path names an open descriptor. Another file under its name would not be the one that
// the shell has opened.
bool is_descriptor(fs::path path) {
    constexpr int links_max = 40;
    std::error_code error;
    for (int i = 0; i < links_max; ++i) {
        const std::string name = path.lexically_normal().string();
        if (name.starts_with("/dev/fd/") || name.starts_with("/dev/std") ||
            name.starts_with("/proc/")) {
            return true;
        }
        const fs::path target = fs::read_symlink(path, error);
        if (error) return false;
        path = path.parent_path() / target;
    }
    return false;
}

bool can_be_replaced(const std::string& path) {
    struct stat info {};
    if (is_descriptor(path)) return false;
    return stat(path.c_str(), &info) != 0 || S_ISREG(info.st_mode);
}

std::string without_links(const std::string& path) {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(path, error);
    return error ? path : target.string();
}

}  // namespace

ReportOutput::ReportOutput(const std::string& path) : path_(path), place_(path) {
    if (path == "-") {
        file_ = stdout;
        return;
    }
    if (!can_be_replaced(path)) {
        file_ = std::fopen(path.c_str(), "we");
        if (file_ == nullptr) fail(errno);
        return;
    }
    place_ = without_links(path);
    struct stat old {};
    const bool is_there = stat(place_.c_str(), &old) == 0;
    // A file that may not be written may not be replaced either.
    if (is_there && access(place_.c_str(), W_OK) != 0) fail(errno);
    static unsigned count = 0;
    fresh_ = std::make_unique<UnfinishedFile>(fmt::format("{}.{}.{}.new", place_, getpid(), count));
    count += 1;
    file_ = std::fopen(fresh_->path().c_str(), "we");
    if (file_ == nullptr) {
        const int error = errno;
        fresh_ = nullptr;
        fail(error);
    }
    // Some file systems have no modes. The contents matter more.
    if (is_there) std::ignore = fchmod(fileno(file_), old.st_mode & 07777);
}

ReportOutput::~ReportOutput() {
    close();
    if (fresh_ != nullptr) std::remove(fresh_->path().c_str());
}

void ReportOutput::fail(int error) const {
    throw Error(fmt::format("cannot write {}: {}", path_ == "-" ? "to standard output" : path_,
                            std::strerror(error)));
}

void ReportOutput::close() {
    if (file_ != nullptr && file_ != stdout && std::fclose(file_) != 0 && error_ == 0)
        error_ = errno;
    file_ = nullptr;
}

void ReportOutput::write(std::string_view text) {
    if (error_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
}

void ReportOutput::finish() {
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    close();
    if (error_ != 0) fail(error_);
    if (fresh_ == nullptr) return;
    if (std::rename(fresh_->path().c_str(), place_.c_str()) != 0) {
        const int error = errno;
        // A file that is a mount of its own, as in a container, can only be overwritten.
        std::error_code failed;
        if (error != EBUSY ||
            !fs::copy_file(fresh_->path(), place_, fs::copy_options::overwrite_existing, failed)) {
            fail(error);
        }
        std::remove(fresh_->path().c_str());
    }
    fresh_ = nullptr;
}

void replace_file(const std::string& path, std::string_view text) {
    ReportOutput output(path);
    output.write(text);
    output.finish();
}

}  // namespace memtrace::analyzer
