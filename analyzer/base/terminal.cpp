// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/terminal.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t width_default = 100;
constexpr size_t width_min = 40;
constexpr size_t width_max = 1000;

bool is_control(std::string_view character) {
    const auto first = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return first < 0x20 || first == 0x7f;
    return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
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
        const auto [bytes, is_character] = first_piece(text);
        const std::string_view piece = text.substr(0, bytes);
        if (!is_character) safe.append(bytes, '?');
        else if (is_control(piece)) safe += '?';
        else safe += piece;
        text.remove_prefix(bytes);
    }
    return safe;
}

size_t display_width(std::string_view text) {
    // fmt pads the text to as many columns as it has bytes. No text is wider than that, so the
    // padding tells the width.
    return 2 * text.size() - fmt::formatted_size("{:<{}}", text, text.size());
}

std::string cut_to_width(const std::string& text, size_t width) {
    if (display_width(text) <= width) return text;
    std::string_view rest = text;
    for (size_t columns = 0; !rest.empty();) {
        const std::string_view piece = rest.substr(0, first_piece(rest).bytes);
        columns += display_width(piece);
        if (columns > width) break;
        rest.remove_prefix(piece.size());
    }
    return text.substr(0, text.size() - rest.size());
}

}  // namespace memtrace::analyzer
