// SPDX-License-Identifier: Apache-2.0
#include "analyzer/output.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>

#include "analyzer/error.h"

namespace memtrace::analyzer {

Output::Output(const std::string& path)
    : path_(path), file_(path == "-" ? stdout : std::fopen(path.c_str(), "we")) {
    if (file_ == nullptr) {
        throw Error(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    }
}

Output::~Output() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
}

void Output::write(std::string_view text) {
    if (error_ != 0) return;
    if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) error_ = errno;
}

void Output::finish() {
    if (std::fflush(file_) != 0 && error_ == 0) error_ = errno;
    if (file_ != stdout) {
        if (std::fclose(file_) != 0 && error_ == 0) error_ = errno;
        file_ = nullptr;
    }
    if (error_ == 0) return;
    throw Error(fmt::format("cannot write {}: {}", path_ == "-" ? "to standard output" : path_,
                            std::strerror(error_)));
}

}  // namespace memtrace::analyzer
