// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/report_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <tuple>

#include "analyzer/base/error.h"
#include "analyzer/base/paths.h"
#include "analyzer/base/terminal.h"
#include "memtrace/dump/format.h"

namespace memtrace::analyzer {
namespace {

namespace fs = std::filesystem;

// Another file under the name of a descriptor would not be the one that the shell has opened.
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

bool begins_with(const std::string& path, std::string_view magic) {
    std::string begin(magic.size(), '\0');
    std::ifstream file(path, std::ios::binary);
    return file.read(begin.data(), static_cast<std::streamsize>(begin.size())) && begin == magic;
}

// Throws Error if a recording would be lost.
void check_replaced(const std::string& path, Replaces replaces) {
    if (replaces == Replaces::recordings) return;
    const bool is_dump = begins_with(path, {file_magic, sizeof file_magic});
    const bool is_profile = replaces == Replaces::reports && begins_with(path, profile_magic);
    if (!is_dump && !is_profile) return;
    throw Error(
        fmt::format("cannot write {}: it is a {}, which would be lost. An option that "
                    "writes takes the name of the new file: choose another one, or - for "
                    "standard output",
                    printable(path), is_dump ? "recording" : "profile of a recording"));
}

}  // namespace

ReportOutput::ReportOutput(const std::string& path, Readers readers, Replaces replaces)
    : path_(path), place_(path) {
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
    check_replaced(place_, replaces);
    struct stat old {};
    const bool is_there = stat(place_.c_str(), &old) == 0;
    // A file that may not be written may not be replaced either.
    if (is_there && access(place_.c_str(), W_OK) != 0) fail(errno);
    create(readers);
    // Some file systems have no modes. The contents matter more.
    if (is_there) std::ignore = fchmod(fileno(file_), old.st_mode & 07777);
}

// Creates the new file. Its name cannot be guessed, and a file or a link that has it already is
// never opened: it may be somebody else's.
void ReportOutput::create(Readers readers) {
    constexpr int attempts_max = 100;
    std::random_device random;
    int error = EEXIST;
    for (int i = 0; i < attempts_max && error == EEXIST; ++i) {
        const uint64_t number = uint64_t{random()} << 32 | random();
        fresh_ = std::make_unique<UnfinishedFile>(fmt::format("{}.{:016x}.new", place_, number));
        const int fd =
            open(fresh_->path().c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                 static_cast<mode_t>(readers));
        file_ = fd < 0 ? nullptr : fdopen(fd, "w");
        if (file_ != nullptr) return;
        error = errno;
        if (fd >= 0) ::close(fd);
    }
    fresh_ = nullptr;
    fail(error);
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

void replace_file(const std::string& path, std::string_view text, Readers readers,
                  Replaces replaces) {
    ReportOutput output(path, readers, replaces);
    output.write(text);
    output.finish();
}

}  // namespace memtrace::analyzer
