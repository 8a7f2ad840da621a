// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/toml_depth.h"

#include <algorithm>

namespace memtrace::analyzer {
namespace {

// Reads the text as far as it must to tell what is in strings and comments from all else.
class Scan {
public:
    explicit Scan(std::string_view text) : text_(text) {
        if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);  // the mark of UTF-8
    }

    // Calls is_found(scan, character) for each character outside of strings and comments, and for
    // one beyond ASCII where a string may have white space only, until it returns true. Returns the
    // line.
    std::optional<size_t> find(auto&& is_found) {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if ((c == '"' || c == '\'') && may_begin_string()) {
                skip_string(c);
                if (escaped_line_ && is_found(*this, beyond_ascii)) return escaped_line_;
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
            if (c == '\\' && quote == '"' && (is_long || rest[1 % rest.size()] != '\n')) {
                skip_escape();
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

    // Behind a backslash, the parser looks for the white space that it takes out of a string.
    void skip_escape() {
        const size_t next = std::min(text_.find_first_not_of(" \t\r\n", at_ + 1), text_.size());
        line_ +=
            static_cast<size_t>(std::count(text_.begin() + static_cast<ptrdiff_t>(at_),
                                           text_.begin() + static_cast<ptrdiff_t>(next), '\n'));
        const bool is_beyond =
            next < text_.size() && static_cast<unsigned char>(text_[next]) >= 0x80;
        if (is_beyond && !escaped_line_) escaped_line_ = line_;
        // A quote behind the backslash itself does not end the string.
        at_ = next == at_ + 1 ? std::min(next + 1, text_.size()) : next;
    }

    static constexpr char beyond_ascii = '\x80';

    std::string_view text_;
    std::optional<size_t> escaped_line_;  // with a character beyond ASCII behind a backslash
    size_t at_ = 0;
    size_t line_ = 1;
    size_t dots_ = 0;  // in the current key
    size_t open_ = 0;  // brackets
};

}  // namespace

std::optional<size_t> too_deep_line(std::string_view toml) {
    return Scan(toml).find([](const Scan& scan, char) { return scan.is_too_deep(); });
}

std::optional<size_t> beyond_ascii_line(std::string_view toml) {
    return Scan(toml).find(
        [](const Scan&, char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

}  // namespace memtrace::analyzer
