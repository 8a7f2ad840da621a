// SPDX-License-Identifier: Apache-2.0
#include "preload/host/smaps_reader.h"

#include <cstring>

#include "preload/base/sys.h"

namespace memtrace::preload {
namespace {

constexpr uint64_t bytes_a_kilobyte = 1024;

uint64_t hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<uint64_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<uint64_t>(c - 'a') + 10;
    return 16;
}

// Takes a hexadecimal number off the front.
uint64_t take_hex(std::string_view& text) {
    uint64_t value = 0;
    while (!text.empty() && hex_digit(text[0]) < 16) {
        value = value * 16 + hex_digit(text[0]);
        text.remove_prefix(1);
    }
    return value;
}

// Takes a word and the spaces behind it off the front.
std::string_view take_word(std::string_view& text) {
    size_t length = 0;
    while (length < text.size() && text[length] != ' ') ++length;
    const std::string_view word = text.substr(0, length);
    while (length < text.size() && text[length] == ' ') ++length;
    text.remove_prefix(length);
    return word;
}

bool is_head(std::string_view line) { return !line.empty() && hex_digit(line[0]) < 16; }

bool read_head(std::string_view line, SmapsEntry& entry) {
    entry.begin = take_hex(line);
    if (line.empty() || line[0] != '-') return false;
    line.remove_prefix(1);
    entry.end = take_hex(line);
    if (line.empty() || line[0] != ' ') return false;
    line.remove_prefix(1);
    const std::string_view access = take_word(line);
    if (access.size() < 4) return false;
    entry.read = access[0] == 'r';
    entry.write = access[1] == 'w';
    entry.execute = access[2] == 'x';
    entry.is_shared = access[3] == 's';
    for (int i = 0; i < 3; ++i) take_word(line);  // offset, device, inode
    entry.path.clear();
    entry.path << line;
    entry.rss = entry.anonymous = entry.shared = entry.swap = 0;
    return true;
}

void read_field(std::string_view line, SmapsEntry& entry) {
    const std::string_view name = take_word(line);
    uint64_t kilobytes = 0;
    if (!parse_number(take_word(line), kilobytes)) return;
    const uint64_t bytes = kilobytes * bytes_a_kilobyte;
    if (name == "Rss:") entry.rss = bytes;
    else if (name == "Anonymous:") entry.anonymous = bytes;
    else if (name == "Shared_Clean:" || name == "Shared_Dirty:") entry.shared += bytes;
    else if (name == "Swap:") entry.swap = bytes;
}

}  // namespace

SmapsReader::~SmapsReader() {
    if (fd_ >= 0) sys::close(fd_);
}

bool SmapsReader::open(const char* path) {
    fd_ = sys::open(path, O_RDONLY);
    return fd_ >= 0;
}

bool SmapsReader::fill() {
    std::memmove(buffer_, buffer_ + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == size_) end_ = 0;  // A line that does not fit is left out.
    for (;;) {
        const long got = sys::read(fd_, buffer_ + end_, size_ - end_);
        if (got == -4 /* EINTR */) continue;
        if (got <= 0) return false;
        end_ += static_cast<size_t>(got);
        return true;
    }
}

bool SmapsReader::next_line(std::string_view& line) {
    for (;;) {
        const std::string_view rest(buffer_ + begin_, end_ - begin_);
        const size_t length = rest.find('\n');
        if (length != std::string_view::npos) {
            line = rest.substr(0, length);
            begin_ += length + 1;
            return true;
        }
        if (!fill()) return false;
    }
}

bool SmapsReader::next(SmapsEntry& entry) {
    while (!has_head_) {
        if (!next_line(head_)) return false;
        has_head_ = is_head(head_);
    }
    has_head_ = false;
    if (!read_head(head_, entry)) return false;
    std::string_view line;
    while (next_line(line)) {
        if (is_head(line)) {
            head_ = line;
            has_head_ = true;
            break;
        }
        read_field(line, entry);
    }
    return true;
}

}  // namespace memtrace::preload
