// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/toml_depth.h"

#include <algorithm>

#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {
namespace {

// Reads the text as far as it must to tell what is in strings and comments from all else.
class Scan {
public:
    explicit Scan(std::string_view text) : text_(without_utf8_mark(text)) {}

    // Calls is_found(scan, character) for each character outside of strings and comments until it
    // returns true, and returns the line.
    std::optional<size_t> find(auto&& is_found) {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if ((c == '"' || c == '\'') && may_begin_string()) {
                skip_string(c);
                continue;
            }
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                continue;
            }
            ++at_;
            take(c);
            if (is_found(*this, c)) return line_;
        }
        return std::nullopt;
    }

    bool is_too_deep() const { return dots_ >= toml_depth_max || open_ > toml_depth_max; }

private:
    // A string is a key or a value. A quote anywhere else is a mistake, and no string to the
    // parser.
    bool may_begin_string() const {
        const size_t before = at_ == 0 ? at_ : text_.find_last_not_of(" \t\r", at_ - 1);
        return at_ == 0 || before == text_.npos || is_one_of("\n=,[{.", text_[before]);
    }
    static bool is_one_of(std::string_view letters, char c) {
        return letters.find(c) != letters.npos;
    }

    void take(char c) {
        if (c == '.') ++dots_;
        if (c == '[' || c == '{') ++open_;
        if ((c == ']' || c == '}') && open_ > 0) --open_;
        if (c == '\n') ++line_;
        if (c == '\n' || c == '=' || c == ',' || c == '{' || c == '[') dots_ = 0;
    }

    // A string in three quotes goes on over lines. Any other ends with its line at the latest.
    void skip_string(char quote) {
        const char three[] = {quote, quote, quote};
        const bool is_long = text_.substr(at_).starts_with(std::string_view(three, 3));
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            const std::string_view rest = text_.substr(at_);
            const char c = rest[0];
            if (c == '\\' && quote == '"' && rest.size() > 1 && rest[1] != '\n') {
                at_ += 2;
                continue;
            }
            if (is_long ? rest.starts_with(std::string_view(three, 3)) : c == quote) {
                at_ += is_long ? 3 : 1;
                return;
            }
            if (c == '\n' && !is_long) return;
            if (c == '\n') ++line_;
            ++at_;
        }
    }

    std::string_view text_;
    size_t at_ = 0;
    size_t line_ = 1;
    size_t dots_ = 0;  // in the current key
    size_t open_ = 0;  // brackets
};

char digit(unsigned value) { return "0123456789ABCDEF"[value & 15]; }

// Returns the byte that stands here as ~HH, or nothing.
std::optional<char> byte_at(std::string_view text, size_t at) {
    static constexpr std::string_view digits = "0123456789ABCDEF";
    if (text[at] != toml_byte_mark || at + 2 >= text.size()) return std::nullopt;
    const size_t high = digits.find(text[at + 1]), low = digits.find(text[at + 2]);
    if (high == digits.npos || low == digits.npos) return std::nullopt;
    const auto byte = static_cast<unsigned char>(high * 16 + low);
    if (byte < 0x80 && byte != toml_byte_mark) return std::nullopt;
    return static_cast<char>(byte);
}

}  // namespace

std::string ascii_toml(std::string_view toml) {
    std::string ascii;
    ascii.reserve(toml.size());
    for (const char c : toml) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x80 && c != toml_byte_mark) ascii += c;
        else ascii += {toml_byte_mark, digit(byte >> 4u), digit(byte)};
    }
    return ascii;
}

std::string text_of_ascii_toml(std::string_view ascii) {
    std::string text;
    for (size_t at = 0; at < ascii.size(); ++at) {
        const std::optional<char> byte = byte_at(ascii, at);
        text += byte.value_or(ascii[at]);
        if (byte) at += 2;
    }
    return text;
}

std::optional<size_t> too_deep_line(std::string_view toml) {
    return Scan(toml).find([](const Scan& scan, char) { return scan.is_too_deep(); });
}

std::optional<size_t> beyond_ascii_line(std::string_view toml) {
    return Scan(toml).find(
        [](const Scan&, char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace memtrace::analyzer
