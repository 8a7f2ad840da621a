// SPDX-License-Identifier: Apache-2.0
//
// The tokens of C and C++ source, and which of its macros have a loop.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace memtrace::analyzer {

struct CppToken {
    std::string_view text;
    uint32_t line = 0;

    bool is(std::string_view word) const { return text == word; }
};

inline bool is_cpp_word(char c) {
    return std::isalnum(static_cast<uint8_t>(c)) != 0 || c == '_' || c == '$';
}

// The macros of a source file and of the headers beside it, as far as they were seen.
class CppMacros {
public:
    // Returns the text of a header, by the name in its #include. Empty: it cannot be read.
    using Read = std::function<std::string(std::string_view name)>;

    explicit CppMacros(Read read = {}) : read_(std::move(read)) {}

    // Takes a directive without its #.
    void take(std::string_view directive);
    bool is_known(const std::string& name) const { return macros_.contains(name); }
    // True if the macro has a loop, or names another one that has.
    bool has_loop(const std::string& name) {
        const auto known = answers_.find(name);
        if (known != answers_.end()) return known->second;
        if (!is_known(name)) return false;
        Names asked;
        return answers_[name] = has_loop(name, asked);
    }

private:
    struct Macro {
        bool has_loop = false;
        std::vector<std::string> words;
    };

    using Names = std::set<std::string, std::less<>>;

    void define(const std::vector<CppToken>& tokens);
    void include(std::string_view name);
    bool has_loop(const std::string& name, Names& asked) const;

    Read read_;
    std::unordered_map<std::string, Macro> macros_;
    Names included_;
    std::unordered_map<std::string, bool> answers_;
};

// Words, numbers and punctuation; no comments and strings.
class CppScanner {
public:
    // Gives directives to `macros`. nullptr: the text is of a directive and has none.
    CppScanner(std::string_view text, CppMacros* macros) : text_(text), macros_(macros) {}

    std::vector<CppToken> scan() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                new_line();
            } else if (std::isspace(static_cast<uint8_t>(c)) != 0) {
                at_ += 1;
            } else if (c == '#' && is_line_start_ && macros_ != nullptr) {
                take_directive();
            } else if (starts_with("//")) {
                while (at_ < text_.size() && text_[at_] != '\n') at_ += 1;
            } else if (starts_with("/*")) {
                skip_to("*/");
            } else {
                is_line_start_ = false;
                take();
            }
        }
        return std::move(tokens_);
    }

private:
    bool starts_with(std::string_view what) const { return text_.substr(at_).starts_with(what); }

    void new_line() {
        at_ += 1;
        line_ += 1;
        is_line_start_ = true;
    }
    void skip_to(std::string_view end) {
        const size_t found = std::min(text_.find(end, at_), text_.size());
        line_ +=
            static_cast<uint32_t>(std::count(text_.begin() + static_cast<ptrdiff_t>(at_),
                                             text_.begin() + static_cast<ptrdiff_t>(found), '\n'));
        at_ = std::min(found + end.size(), text_.size());
    }
    void take_directive() {
        const size_t begin = at_ + 1;
        skip_directive();
        macros_->take(text_.substr(begin, at_ - begin));
    }
    void skip_directive() {
        while (at_ < text_.size() && text_[at_] != '\n') {
            if (text_[at_] == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
                at_ += 1;
                line_ += 1;
            }
            at_ += 1;
        }
    }
    void skip_quoted(char quote) {
        for (at_ += 1; at_ < text_.size() && text_[at_] != quote; ++at_) {
            if (text_[at_] == '\n') return;  // It is not closed.
            if (text_[at_] == '\\') at_ += 1;
        }
        at_ += 1;
    }
    void take() {
        const size_t begin = at_;
        const char c = text_[at_];
        if (is_cpp_word(c)) {
            // ' separates digits.
            const bool is_number = std::isdigit(static_cast<uint8_t>(c)) != 0;
            while (at_ < text_.size() &&
                   (is_cpp_word(text_[at_]) || (is_number && text_[at_] == '\'')))
                at_ += 1;
            const std::string_view word = text_.substr(begin, at_ - begin);
            if (word.ends_with('R') && starts_with("\"")) return skip_raw();
            tokens_.push_back({word, line_});
        } else if (c == '"' || c == '\'') {
            tokens_.push_back({"\"", line_});
            skip_quoted(c);
        } else {
            at_ += 1;
            tokens_.push_back({text_.substr(begin, 1), line_});
        }
    }
    void skip_raw() {
        const size_t open = std::min(text_.find('(', at_), text_.size());
        const std::string end = ")" + std::string(text_.substr(at_ + 1, open - at_ - 1)) + "\"";
        tokens_.push_back({"\"", line_});
        skip_to(end);
    }

    std::string_view text_;
    CppMacros* macros_;
    size_t at_ = 0;
    uint32_t line_ = 1;
    bool is_line_start_ = true;
    std::vector<CppToken> tokens_;
};

inline void CppMacros::take(std::string_view directive) {
    const std::vector<CppToken> tokens = CppScanner(directive, nullptr).scan();
    if (tokens.size() < 2) return;
    if (tokens[0].is("define")) define(tokens);
    if (!tokens[0].is("include") || !tokens[1].is("\"")) return;
    const size_t begin = directive.find('"') + 1;
    include(directive.substr(begin, directive.find('"', begin) - begin));
}

inline void CppMacros::define(const std::vector<CppToken>& tokens) {
    answers_.clear();
    Macro& macro = macros_[std::string(tokens[1].text)];
    for (size_t i = 2; i < tokens.size(); ++i) {
        if (!is_cpp_word(tokens[i].text[0])) continue;
        // do { … } while (0) is no loop.
        const auto is_at = [&](size_t at, std::string_view word) {
            return at < tokens.size() && tokens[at].is(word);
        };
        const bool is_never =
            is_at(i + 1, "(") && is_at(i + 3, ")") && (is_at(i + 2, "0") || is_at(i + 2, "false"));
        macro.has_loop |= tokens[i].is("for") || tokens[i].is("goto");
        macro.has_loop |= tokens[i].is("while") && !is_never;
        macro.words.emplace_back(tokens[i].text);
    }
}

inline void CppMacros::include(std::string_view name) {
    constexpr size_t headers_max = 100;
    if (read_ == nullptr || included_.size() >= headers_max) return;
    if (!included_.emplace(name).second) return;
    const std::string text = read_(name);
    for (size_t begin = 0; begin < text.size();) {
        size_t end = std::min(text.find('\n', begin), text.size());
        while (end < text.size() && end > begin && text[end - 1] == '\\')
            end = std::min(text.find('\n', end + 1), text.size());
        const size_t first = std::min(text.find_first_not_of(" \t", begin), text.size());
        if (first < end && text[first] == '#')
            take(std::string_view(text).substr(first + 1, end - first - 1));
        begin = end + 1;
    }
}

inline bool CppMacros::has_loop(const std::string& name, Names& asked) const {
    const auto found = macros_.find(name);
    if (found == macros_.end() || !asked.insert(name).second) return false;
    const Macro& macro = found->second;
    return macro.has_loop ||
           std::any_of(macro.words.begin(), macro.words.end(),
                       [&](const std::string& word) { return has_loop(word, asked); });
}

}  // namespace memtrace::analyzer
