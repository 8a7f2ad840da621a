// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/suppression_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <utility>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text_file.h"
#include "analyzer/base/wildcards.h"

namespace memtrace::analyzer {

namespace {

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Returns the text after `word`, or nothing if the text does not begin with `word`.
std::optional<std::string_view> after_prefix(std::string_view text, std::string_view word) {
    if (!text.starts_with(word)) return std::nullopt;
    return trimmed(text.substr(word.size()));
}

bool is_date(std::string_view text) {
    const auto number = [&](size_t at, size_t digits) {
        int value = 0;
        for (const char c : text.substr(at, digits)) {
            if (c < '0' || c > '9') return -1;
            value = value * 10 + (c - '0');
        }
        return value;
    };
    if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
    const int year = number(0, 4), month = number(5, 2), day = number(8, 2);
    if (year < 0 || month < 0 || day < 0) return false;
    return std::chrono::year_month_day(std::chrono::year(year),
                                       std::chrono::month(static_cast<unsigned>(month)),
                                       std::chrono::day(static_cast<unsigned>(day)))
        .ok();
}

// True if a pattern of LeakSanitizer's names nothing, and so would suppress every leak.
bool names_nothing(std::string_view pattern) {
    return pattern.find_first_not_of("*^$") == std::string_view::npos;
}

class Parser {
public:
    Parser(std::string_view text, const std::string& file) : rest_(text), file_(file) {}

    std::vector<Suppression> run() {
        while (next_line()) {
            if (text_.empty()) {
                said_ = {};
            } else if (text_.starts_with('#')) {
                read_comment(trimmed(text_.substr(1)));
            } else if (text_ == "{") {
                read_block();
            } else {
                read_leak();
            }
        }
        return std::move(found_);
    }

private:
    bool next_line() {
        if (rest_.empty()) return false;
        const size_t end = rest_.find('\n');
        text_ = trimmed(rest_.substr(0, end));
        rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
        ++line_;
        return true;
    }

    [[noreturn]] void fail(const std::string& sentence) const {
        throw Error(fmt::format("{}:{}: {}", printable(file_), line_, printable(sentence)));
    }

    void read_comment(std::string_view text) {
        const bool goes_on = std::exchange(is_reason_, false);
        if (const auto reason = after_prefix(text, "reason:")) {
            said_.reason = *reason;
            is_reason_ = true;
        }
        if (const auto unless = after_prefix(text, "unless:")) {
            if (*unless != "own code") {
                fail(fmt::format("\"unless: {}\" is not known; there is \"unless: own code\"",
                                 quotable(*unless)));
            }
            said_.spares_own_code = true;
        }
        const auto until = after_prefix(text, "until:");
        if (!until) {
            const bool more = goes_on && !is_reason_ && !text.starts_with("unless:");
            if (more) said_.reason += " " + std::string(text);
            is_reason_ = is_reason_ || more;
            return;
        }
        if (!is_date(*until)) {
            fail(fmt::format("\"{}\" is not a date; write it like 2027-01-31", quotable(*until)));
        }
        said_.until = *until;
    }

    void add(Suppression suppression, uint32_t line) {
        suppression.reason = said_.reason;
        suppression.until = said_.until;
        suppression.spares_own_code = said_.spares_own_code;
        suppression.file = file_;
        suppression.line = line;
        found_.push_back(std::move(suppression));
    }

    void read_leak() {
        const auto pattern = after_prefix(text_, "leak:");
        if (!pattern) {
            fail(
                fmt::format("\"{}\" is neither \"leak:PATTERN\" nor the \"{{\" of a "
                            "suppression of valgrind's",
                            quotable(text_)));
        }
        if (names_nothing(*pattern)) {
            fail(
                fmt::format("\"{}\" would suppress every leak; name a function, a file or a "
                            "module",
                            quotable(text_)));
        }
        Suppression suppression;
        suppression.name = text_;
        suppression.pattern = *pattern;
        add(std::move(suppression), line_);
    }

    // Reads a block in braces: a name, "Tool:Kind", perhaps more about the kind, then frames.
    void read_block() {
        const uint32_t first = line_;
        Suppression suppression;
        bool has_kind = false, is_leak = false;
        while (true) {
            if (!next_line()) {
                line_ = first;
                fail("this \"{\" has no \"}\"");
            }
            if (text_.empty()) continue;
            if (text_.starts_with('#')) {
                read_comment(trimmed(text_.substr(1)));
                continue;
            }
            if (text_ == "}") break;
            if (suppression.name.empty()) {
                suppression.name = text_;
            } else if (!has_kind) {
                has_kind = true;
                is_leak = is_of_leaks(text_);
            } else if (!is_leak) {
                continue;
            } else if (const auto kinds = after_prefix(text_, "match-leak-kinds:")) {
                suppression.kinds = read_kinds(*kinds);
            } else {
                suppression.frames.push_back(read_frame());
            }
        }
        if (!has_kind) fail("a suppression needs a name and a kind, like Memcheck:Leak");
        if (!is_leak) return;  // a suppression for another tool or another check
        const bool says_something = std::any_of(
            suppression.frames.begin(), suppression.frames.end(), [](const FramePattern& frame) {
                return frame.kind != FramePattern::Kind::any_frames && !is_allocator(frame);
            });
        if (!says_something) {
            fail(
                fmt::format("\"{}\" would suppress every leak; name a function, a file or a "
                            "module",
                            quotable(suppression.name)));
        }
        add(std::move(suppression), first);
    }

    static bool is_allocator(const FramePattern& frame) {
        return frame.kind == FramePattern::Kind::function &&
               (frame.text == "*" || frame.text == "malloc" || frame.text == "*alloc" ||
                frame.text == "calloc" || frame.text == "realloc");
    }

    // True for "Memcheck:Leak" and "Memcheck,Other:Leak".
    static bool is_of_leaks(std::string_view text) {
        const size_t colon = text.find(':');
        return colon != std::string_view::npos && trimmed(text.substr(colon + 1)) == "Leak" &&
               text.substr(0, colon).find("Memcheck") != std::string_view::npos;
    }

    // Reads "definite,indirect": valgrind's words for LostKinds.
    uint8_t read_kinds(std::string_view text) const {
        constexpr std::array<std::pair<std::string_view, uint8_t>, 6> words{
            {{"definite", kind_definite},
             {"indirect", kind_indirect},
             {"possible", kind_possible},
             {"reachable", kind_reachable},
             {"all", kinds_all},
             {"none", kind_none}}};
        uint8_t kinds = kind_none;
        while (true) {
            const size_t comma = text.find(',');
            const std::string_view word = trimmed(text.substr(0, comma));
            const auto known = std::find_if(words.begin(), words.end(),
                                            [&](const auto& each) { return each.first == word; });
            if (known == words.end()) {
                fail(
                    fmt::format("\"{}\" is no kind of leak; there are definite, indirect, "
                                "possible, reachable, all and none",
                                quotable(word)));
            }
            kinds |= known->second;
            if (comma == std::string_view::npos) return kinds;
            text.remove_prefix(comma + 1);
        }
    }

    FramePattern read_frame() const {
        using Kind = FramePattern::Kind;
        if (text_ == "...") return {Kind::any_frames, ""};
        if (const auto name = after_prefix(text_, "fun:"))
            return {Kind::function, std::string(*name)};
        if (const auto name = after_prefix(text_, "obj:"))
            return {Kind::object, std::string(*name)};
        if (const auto name = after_prefix(text_, "src:"))
            return {Kind::source, std::string(*name)};
        fail(
            fmt::format("\"{}\" is no frame; there are fun:, obj:, src: and ...", quotable(text_)));
    }

    std::string_view rest_;
    std::string_view text_;  // the current line, trimmed
    const std::string& file_;
    uint32_t line_ = 0;
    Suppression said_;        // values from the comments above
    bool is_reason_ = false;  // The previous line was a reason, which may continue.
    std::vector<Suppression> found_;
};

constexpr std::string_view default_text =
#include "analyzer/check/suppressions_default.def"
    ;

}  // namespace

std::vector<Suppression> parse_suppressions(std::string_view text, const std::string& file) {
    return Parser(text, file).run();
}

std::vector<Suppression> read_suppressions(const std::string& path) {
    return parse_suppressions(read_text_file(path, "the suppressions"), path);
}

std::string_view default_suppressions_text() { return default_text.substr(1); }

std::vector<Suppression> default_suppressions() {
    std::vector<Suppression> found =
        parse_suppressions(default_suppressions_text(), "default suppressions");
    for (Suppression& suppression : found) suppression.is_default = true;
    return found;
}

std::vector<Suppression> program_suppressions(std::string_view text) {
    std::vector<Suppression> found;
    uint32_t line = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        const std::string_view one = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        ++line;
        const auto pattern = after_prefix(one, "leak:");
        if (!pattern || names_nothing(*pattern)) continue;
        Suppression suppression;
        suppression.name = one;
        suppression.pattern = *pattern;
        suppression.kinds = kind_definite | kind_indirect;
        suppression.reason = "the program says so";
        suppression.file = "__lsan_default_suppressions()";
        suppression.line = line;
        suppression.is_default = true;
        found.push_back(std::move(suppression));
    }
    return found;
}

bool matches_leak_pattern(std::string_view pattern, std::string_view text) {
    const bool at_begin = pattern.starts_with('^');
    if (at_begin) pattern.remove_prefix(1);
    const bool at_end = pattern.ends_with('$');
    if (at_end) pattern.remove_suffix(1);
    // A match anywhere in the text is the same as a match between two stars.
    const std::string whole = (at_begin ? "" : "*") + std::string(pattern) + (at_end ? "" : "*");
    return matches_stars(whole, text);
}

}  // namespace memtrace::analyzer
