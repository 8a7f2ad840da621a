// SPDX-License-Identifier: Apache-2.0
//
// Files that tests create and that disappear afterwards. They live in memory, because thousands of
// small files on a disk take longer than the tested code itself.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace memtrace::test {

inline void write_file(const std::string& path, const std::vector<uint8_t>& bytes) {
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(reinterpret_cast<const char*>(bytes.data()),
              static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

class TempFile {
public:
    explicit TempFile(const std::vector<uint8_t>& bytes)
        : fd_(memfd_create("memtrace-test", MFD_CLOEXEC)) {
        if (fd_ < 0) throw std::runtime_error("cannot make a file in memory");
        size_t done = 0;
        while (done < bytes.size()) {
            const ssize_t written = write(fd_, bytes.data() + done, bytes.size() - done);
            if (written < 0) throw std::runtime_error("cannot write a file in memory");
            done += static_cast<size_t>(written);
        }
    }
    ~TempFile() { close(fd_); }
    TempFile(const TempFile&) = delete;
    TempFile& operator=(const TempFile&) = delete;

    std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }

private:
    int fd_;
};

// For tests of file names in a folder.
class TempFolder {
public:
    TempFolder() : path_(std::filesystem::temp_directory_path() / "memtrace-test-XXXXXX") {
        if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("cannot make " + path_);
    }
    ~TempFolder() { std::filesystem::remove_all(path_); }
    TempFolder(const TempFolder&) = delete;
    TempFolder& operator=(const TempFolder&) = delete;

    std::string file(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

private:
    std::string path_;
};

}  // namespace memtrace::test
