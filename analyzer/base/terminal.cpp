// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace memtrace::analyzer {

namespace {

constexpr size_t width_default = 100;
constexpr size_t width_min = 40;
constexpr size_t width_max = 1000;

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes of the well-formed character at the start of `text`; 0 if there is none.
size_t character_bytes(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text[0]);
    size_t size = 0;
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) size = 2;
    if (lead >= 0xe0 && lead <= 0xef) size = 3;
    if (lead >= 0xf0 && lead <= 0xf4) size = 4;
    if (size == 0 || size > text.size()) return 0;
    const auto second = static_cast<unsigned char>(text[1]);
    for (size_t i = 1; i < size; ++i) {
        if (!is_continuation(text[i])) return 0;
    }
    // Overlong forms, surrogates, and what lies beyond Unicode.
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) {
        return 0;
    }
    return size;
}

}  // namespace

bool is_terminal(int fd) { return isatty(fd) == 1; }

size_t terminal_width(int fd) {
    if (const char* columns = std::getenv("COLUMNS"); columns != nullptr && *columns != '\0') {
        char* end = nullptr;
        const unsigned long value = std::strtoul(columns, &end, 10);
        if (*end == '\0' && value > 0) return std::clamp<size_t>(value, width_min, width_max);
    }
    winsize size{};
    if (is_terminal(fd) && ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        return std::clamp<size_t>(size.ws_col, width_min, width_max);
    }
    return width_default;
}

bool wants_colour(int fd) {
    const char* refused = std::getenv("NO_COLOR");
    if (refused != nullptr && *refused != '\0') return false;
    const char* term = std::getenv("TERM");
    return is_terminal(fd) && (term == nullptr || std::strcmp(term, "dumb") != 0);
}

std::string printable(std::string_view text) {
    std::string safe;
    while (!text.empty()) {
        const size_t size = character_bytes(text);
        const auto first = static_cast<unsigned char>(text[0]);
        const bool control =
            first < 0x20 || first == 0x7f ||
            (size == 2 && first == 0xc2 && static_cast<unsigned char>(text[1]) < 0xa0);
        if (size == 0 || control) {
            safe += '?';
        } else {
            safe += text.substr(0, size);
        }
        text.remove_prefix(std::max<size_t>(size, 1));
    }
    return safe;
}

size_t display_width(std::string_view text) {
    const auto further = std::count_if(text.begin(), text.end(), is_continuation);
    return text.size() - static_cast<size_t>(further);
}

std::string cut_to_width(const std::string& text, size_t width) {
    if (display_width(text) <= width) return text;
    size_t end = 0;
    for (size_t columns = 0; end < text.size(); ++end) {
        if (is_continuation(text[end])) continue;
        if (columns++ == width) break;
    }
    return text.substr(0, end);
}

std::string pad_left(const std::string& text, size_t width) {
    const size_t have = display_width(text);
    return have >= width ? text : std::string(width - have, ' ') + text;
}

std::string pad_right(const std::string& text, size_t width) {
    const size_t have = display_width(text);
    return have >= width ? text : text + std::string(width - have, ' ');
}

}  // namespace memtrace::analyzer
