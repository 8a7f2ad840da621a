// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/cpp_source.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "analyzer/steps/conditional_calls.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t depth_max = 200;  // of blocks in blocks; deeper text is no program

struct Token {
    std::string_view text;
    uint32_t line = 0;

    bool is(std::string_view word) const { return text == word; }
};

bool is_word(char c) { return std::isalnum(static_cast<uint8_t>(c)) != 0 || c == '_' || c == '$'; }

// Words, numbers and punctuation; no comments, strings and directives.
class Scanner {
public:
    explicit Scanner(std::string_view text) : text_(text) {}

    std::vector<Token> scan() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                new_line();
            } else if (std::isspace(static_cast<uint8_t>(c)) != 0) {
                at_ += 1;
            } else if (c == '#' && is_line_start_) {
                skip_directive();
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
        if (is_word(c)) {
            // ' separates digits.
            const bool is_number = std::isdigit(static_cast<uint8_t>(c)) != 0;
            while (at_ < text_.size() && (is_word(text_[at_]) || (is_number && text_[at_] == '\'')))
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
    size_t at_ = 0;
    uint32_t line_ = 1;
    bool is_line_start_ = true;
    std::vector<Token> tokens_;
};

class TreeMaker {
public:
    explicit TreeMaker(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

    SourceTree make() {
        while (!is_end()) {
            if (peek().is("}")) at_ += 1;  // one too many
            else statement(0);
        }
        return std::move(tree_);
    }

private:
    bool is_end() const { return at_ >= tokens_.size(); }
    const Token& peek() const { return tokens_[at_]; }
    bool is_next(std::string_view word) const { return !is_end() && peek().is(word); }
    bool accept(std::string_view word) {
        if (!is_next(word)) return false;
        at_ += 1;
        return true;
    }
    uint32_t line() const {
        if (tokens_.empty()) return 1;
        return tokens_[std::min(at_, tokens_.size() - 1)].line;
    }
    uint32_t last_line() const { return at_ == 0 ? 1 : tokens_[at_ - 1].line; }

    // Runs `body` with a new block around what it takes.
    template <class Body>
    void in_block(BlockKind kind, BlockId parent, uint32_t line, Body&& body) {
        const BlockId block = tree_.begin(kind, parent, line);
        body(block);
        tree_.end(block, last_line());
    }

    // Takes "{ … }". The opening bracket is next.
    void braces(BlockId parent) {
        at_ += 1;
        depth_ += 1;
        while (!is_end() && !peek().is("}")) statement(parent);
        depth_ -= 1;
        accept("}");
    }

    // Takes "( … )", if it is next, as a statement.
    void parentheses(BlockId parent, bool is_header) {
        if (!is_next("(")) return;
        const uint32_t begin = line();
        const size_t first = at_;
        size_t depth = 0;
        do {
            if (peek().is("(")) depth += 1;
            if (peek().is(")")) depth -= 1;
            if (peek().is("{")) {
                function(parent);
                continue;
            }
            at_ += 1;
        } while (!is_end() && depth > 0);
        const BlockId statement = tree_.add_statement(parent, begin, last_line(), is_header);
        for (size_t at = first; at < at_; ++at) {
            if (is_word(tokens_[at].text[0])) tree_.add_word(statement, tokens_[at].text);
        }
    }

    void function(BlockId parent) {
        in_block(BlockKind::function, parent, line(), [&](BlockId block) { braces(block); });
    }

    void arm(BlockId parent) {
        in_block(BlockKind::arm, parent, line(), [&](BlockId block) { statement(block); });
    }

    void statement(BlockId parent) {
        if (is_end()) return;
        if (depth_ > depth_max) return skip_all();
        const uint32_t begin = line();
        if (is_next("{")) {
            in_block(BlockKind::group, parent, begin, [&](BlockId block) { braces(block); });
        } else if (accept("if")) {
            in_block(BlockKind::branch, parent, begin, [&](BlockId branch) { if_else(branch); });
        } else if (accept("for") || accept("while")) {
            in_block(BlockKind::loop, parent, begin, [&](BlockId loop) {
                parentheses(loop, true);
                nested(loop);
            });
        } else if (accept("do")) {
            in_block(BlockKind::loop, parent, begin, [&](BlockId loop) {
                nested(loop);
                if (accept("while")) parentheses(loop, true);
                accept(";");
            });
        } else if (accept("switch")) {
            in_block(BlockKind::group, parent, begin, [&](BlockId group) {
                parentheses(group, false);
                arm(group);
            });
        } else if (accept("try")) {
            nested(parent);
            while (accept("catch")) {
                if (is_next("(")) skip_parentheses();
                arm(parent);
            }
        } else if (accept("case") || accept("default")) {
            while (!is_end() && !peek().is(":") && !peek().is("}")) at_ += 1;
            accept(":");
        } else {
            expression(parent);
        }
    }

    void nested(BlockId parent) {
        depth_ += 1;
        statement(parent);
        depth_ -= 1;
    }

    void if_else(BlockId branch) {
        accept("constexpr");
        parentheses(branch, false);
        const auto condition = tree_.at(last_line());
        const bool is_mixed = !is_end() && !is_next("{") && line() == last_line();
        if (is_mixed && condition) tree_.block(*condition).is_mixed = true;
        depth_ += 1;
        arm(branch);
        if (accept("else")) arm(branch);
        depth_ -= 1;
    }

    void skip_parentheses() {
        size_t depth = 0;
        do {
            depth += peek().is("(");
            depth -= peek().is(")");
            at_ += 1;
        } while (!is_end() && depth > 0);
    }

    void skip_all() { at_ = tokens_.size(); }

    // Takes a statement or a declaration up to its semicolon, or a definition up to its brace.
    void expression(BlockId parent) {
        const uint32_t begin = line();
        const bool is_continue = is_next("continue"), is_return = is_next("return");
        ConditionalCalls calls;
        uint32_t end = begin;
        size_t depth = 0;
        bool has_parameters = false;
        const BlockId statement = tree_.add_statement(parent, begin, begin);
        while (!is_end()) {
            if (peek().is("{")) {
                const bool is_body = has_parameters || is_after_bracket();
                if (is_body) function(statement);
                else braces(statement);
                tree_.block(statement).has_function |= is_body && parent != 0;
                if (depth == 0 && !goes_on()) break;
                continue;
            }
            if (peek().is("}")) break;
            take_operator(calls);
            if (is_word(peek().text[0])) tree_.add_word(statement, peek().text);
            end = line();
            if (peek().is("(")) depth += 1;
            if (peek().is(")")) {
                depth -= depth > 0;
                has_parameters = true;
            }
            const bool is_over = depth == 0 && peek().is(";");
            at_ += 1;
            if (is_over) break;
        }
        tree_.cover(statement, begin, end);
        tree_.block(statement).has_condition = calls.may_all_be_left_out(true);
        if (is_continue) tree_.add_continue(statement);
        if (is_return) tree_.add_return(statement);
    }

    void take_operator(ConditionalCalls& calls) const {
        const auto is_twice = [&](std::string_view sign) {
            return is_next(sign) && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is(sign);
        };
        const bool is_call = at_ > 0 && (is_word(tokens_[at_ - 1].text[0]) || is_after(")]>")) &&
                             !tokens_[at_ - 1].is("return");
        if (is_next("(") && is_call) calls.add_call();
        else if (is_twice("&") || is_twice("|")) calls.add_either();
        else if (is_next("?")) calls.add_if();
        else if (is_next(":") && !is_twice(":") && !tokens_[at_ - 1].is(":")) calls.add_else();
        else if (is_next("=") && calls.calls() == 0) calls.forget_either();  // auto&& name = …
    }

    bool is_after(std::string_view signs) const {
        return at_ > 0 && signs.find(tokens_[at_ - 1].text[0]) != signs.npos;
    }
    // True for a lambda without parameters.
    bool is_after_bracket() const { return is_after("]"); }

    // True if the statement does not end with the brace just taken.
    bool goes_on() {
        if (accept(";")) return false;
        static constexpr std::string_view signs = ",.)(]-+*/=<>?:[&|";
        return !is_end() && signs.find(peek().text[0]) != std::string_view::npos;
    }

    SourceTree tree_;
    std::vector<Token> tokens_;
    size_t at_ = 0;
    size_t depth_ = 0;
};

}  // namespace

SourceTree cpp_tree(std::string_view text) { return TreeMaker(Scanner(text).scan()).make(); }

}  // namespace memtrace::analyzer
