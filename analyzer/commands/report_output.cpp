// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/report_output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "analyzer/base/error.h"

namespace memtrace::analyzer {

ReportOutput::ReportOutput(const std::string& path)
    : path_(path), file_(path == "-" ? stdout : std::fopen(path.c_str(), "we")) {
    if (file_ == nullptr) {
        throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    }
}

ReportOutput::~ReportOutput() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void ReportOutput::write(std::string_view text) {
    if (error_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
}

void ReportOutput::finish() {
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    if (file_ != stdout) {
        if (std::fclose(file_) != 0 && error_ == 0) error_ = errno;
        file_ = nullptr;
    }
    if (error_ == 0) return;
    throw Error(fmt::format("cannot write {}: {}", path_ == "-" ? "to standard output" : path_,
                            std::strerror(error_)));
}

void replace_file(const std::string& path, std::string_view text) {
    namespace fs = std::filesystem;
    std::error_code error;
    // Replaces the target of a link, not the link.
    const fs::path target = fs::weakly_canonical(path, error);
    const std::string place = error ? path : target.string();
    const std::string fresh = fmt::format("{}.{}.new", place, getpid());
    try {
        ReportOutput output(fresh);
        output.write(text);
        output.finish();
    } catch (const Error&) {
        std::remove(fresh.c_str());
        throw;
    }
    if (std::rename(fresh.c_str(), place.c_str()) == 0) return;
    const int why = errno;
    std::remove(fresh.c_str());
    throw Error(fmt::format("cannot write {}: {}", path, std::strerror(why)));
}

}  // namespace memtrace::analyzer
