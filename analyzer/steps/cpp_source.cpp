// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/cpp_source.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/steps/conditional_calls.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t depth_max = 200;      // of blocks in blocks; deeper text is no program
constexpr size_t brackets_max = 2000;  // of tokens in brackets

class TreeMaker {
public:
    TreeMaker(std::vector<CppToken> tokens, CppMacros& macros)
        : tokens_(std::move(tokens)), macros_(macros) {
        for (size_t at = 0; at + 1 < tokens_.size(); ++at) {
            if (tokens_[at].is("goto")) gotos_[tokens_[at + 1].text].push_back(at);
        }
    }

    SourceTree make() {
        while (!is_end()) {
            if (peek().is("}")) at_ += 1;  // one too many
            else statement(0);
        }
        tree_.finish();
        return std::move(tree_);
    }

private:
    bool is_end() const { return at_ >= tokens_.size(); }
    const CppToken& peek() const { return tokens_[at_]; }
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
        const BlockId statement = tree_.add_statement(parent, begin, begin, is_header);
        size_t depth = 0;
        do {
            if (peek().is("(")) depth += 1;
            if (peek().is(")")) depth -= 1;
            if (peek().is("{")) {
                function(statement);
                continue;
            }
            add_part(statement);
            at_ += 1;
        } while (!is_end() && depth > 0);
        tree_.cover(statement, begin, last_line());
    }

    // The next token is a part of the statement.
    void add_part(BlockId statement) {
        tree_.add_part(statement, line());
        if (!is_cpp_word(peek().text[0])) return;
        tree_.add_word(statement, peek().text);
        tree_.block(statement).waits |= peek().is("co_await") || peek().is("co_yield");
        if (macros_.has_loop(std::string(peek().text))) tree_.add_loop(line());
    }

    void function(BlockId parent) {
        const size_t outer_end =
            std::exchange(function_end_, end_of(at_, "{", "}", tokens_.size()));
        const bool is_inner = std::exchange(is_in_function_, true);
        in_block(BlockKind::function, parent, line(), [&](BlockId block) {
            if (is_inner) tree_.add_function(block, line());
            braces(block);
        });
        is_in_function_ = is_inner;
        function_end_ = outer_end;
    }

    // A class in a function: its functions are in none of the loops around it.
    void local_class(BlockId parent) {
        is_in_function_ = false;
        in_block(BlockKind::function, parent, line(), [&](BlockId block) { braces(block); });
        is_in_function_ = true;
    }

    // Returns the number of the token behind the bracket that closes the one at `at`.
    // What is longer than `max` is taken for as long as that.
    size_t end_of(size_t at, std::string_view open, std::string_view close,
                  size_t max = brackets_max) const {
        size_t depth = 0;
        const size_t end = std::min(tokens_.size(), at + max);
        for (; at < end; ++at) {
            if (tokens_[at].is(open)) depth += 1;
            if (tokens_[at].is(close) && --depth == 0) return at + 1;
        }
        return end;
    }
    bool is_at(size_t at, std::string_view word) const {
        return at < tokens_.size() && tokens_[at].is(word);
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
        } else if (const size_t end = end_of_goto()) {
            in_maybe_loop(parent, [&](BlockId loop) {
                at_ += 2;
                while (at_ < end && !is_end() && !is_next("}")) statement(loop);
            });
        } else if (is_loop_of_macro()) {
            in_maybe_loop(parent, [&](BlockId loop) {
                at_ += 1;
                parentheses(loop, true);
                nested(loop);
            });
        } else {
            expression(parent);
        }
    }

    template <class Body>
    void in_maybe_loop(BlockId parent, Body&& body) {
        in_block(BlockKind::loop, parent, line(), [&](BlockId loop) {
            tree_.block(loop).may_be_loop = true;
            depth_ += 1;
            body(loop);
            depth_ -= 1;
        });
    }

    // Returns the number of the token behind the last goto of the function that goes back to the
    // label which is next; 0: there is none.
    size_t end_of_goto() const {
        if (depth_ > depth_max / 2) return 0;  // Labels of a generated parser lie in each other.
        if (!is_cpp_word(peek().text[0]) || !is_at(at_ + 1, ":") || is_at(at_ + 2, ":")) return 0;
        const auto found = gotos_.find(peek().text);
        if (found == gotos_.end()) return 0;
        const auto behind =
            std::lower_bound(found->second.begin(), found->second.end(), function_end_);
        if (behind == found->second.begin() || *std::prev(behind) < at_) return 0;
        return *std::prev(behind) + 2;
    }

    // True if a macro is next that has a loop around the statement behind it, or may have one: no
    // word and no brace can follow the brackets of a call.
    bool is_loop_of_macro() {
        if (!is_cpp_word(peek().text[0]) || !is_in_function_) return false;
        const std::string name(peek().text);
        const bool has_loop = macros_.has_loop(name);
        if (macros_.is_known(name) && !has_loop) return false;
        static constexpr std::string_view no_macros[] = {
            "new",       "decltype", "typeof",  "__typeof__", "alignas", "__attribute__",
            "co_return", "co_yield", "_Pragma", "__pragma",   "asm",     "return"};
        if (std::find(std::begin(no_macros), std::end(no_macros), name) != std::end(no_macros))
            return false;
        const size_t end = is_at(at_ + 1, "(") ? end_of(at_ + 1, "(", ")") : at_ + 1;
        if (end >= tokens_.size() || (end == at_ + 1 && !has_loop)) return false;
        return tokens_[end].is("{") || is_cpp_word(tokens_[end].text[0]);
    }

    // True if the statement is nothing but a macro that is not known: it may have a loop.
    bool is_unknown_macro(size_t first) const {
        const std::string_view name = tokens_[first].text;
        if (name.size() < 2 || !is_at(first + 1, "(") || macros_.is_known(std::string(name)))
            return false;
        if (!is_at(end_of(first + 1, "(", ")"), ";")) return false;
        const bool is_capital = std::none_of(name.begin(), name.end(), [](char c) {
            return std::islower(static_cast<uint8_t>(c)) != 0;
        });
        if (!is_capital || std::isalpha(static_cast<uint8_t>(name[0])) == 0) return false;
        for (size_t at = first + 2; at < at_; ++at) {
            if (tokens_[at].is("new")) return false;
            if (tokens_[at].is("(") && is_cpp_word(tokens_[at - 1].text[0])) return false;
        }
        return true;
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
        const size_t first = at_;
        const bool is_continue = is_next("continue");
        const bool is_return = is_next("return") || is_next("co_return");
        const bool takes_none = is_continue || is_next("break");
        const bool is_namespace = is_next("namespace");  // It may have a macro with brackets.
        bool is_class = false;
        ConditionalCalls calls;
        uint32_t end = begin;
        size_t depth = 0;
        bool has_parameters = false;
        const BlockId statement = tree_.add_statement(parent, begin, begin);
        while (!is_end()) {
            if (peek().is("{")) {
                const bool is_body = !is_namespace && (has_parameters || is_after_bracket());
                tree_.block(statement).has_function |= is_body && parent != 0;
                if (is_body) function(statement);
                else if (is_in_function_ && is_class) local_class(statement);
                else braces(statement);
                if (depth == 0 && !goes_on()) break;
                continue;
            }
            if (peek().is("}")) break;
            is_class |= is_next("struct") || is_next("class") || is_next("union");
            take_operator(calls);
            if (!takes_none && !peek().is(";")) add_part(statement);
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
        if (is_in_function_ && is_unknown_macro(first)) tree_.add_loop(begin);
        if (is_continue) tree_.add_continue(statement);
        if (is_return) tree_.add_return(statement);
    }

    void take_operator(ConditionalCalls& calls) const {
        const auto is_twice = [&](std::string_view sign) {
            return is_next(sign) && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is(sign);
        };
        const bool is_call = at_ > 0 &&
                             (is_cpp_word(tokens_[at_ - 1].text[0]) || is_after(")]>")) &&
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
    std::vector<CppToken> tokens_;
    CppMacros& macros_;
    std::unordered_map<std::string_view, std::vector<size_t>> gotos_;  // by label: their tokens
    size_t function_end_ = 0;  // number of the token behind the innermost function
    bool is_in_function_ = false;
    size_t at_ = 0;
    size_t depth_ = 0;
};

}  // namespace

SourceTree cpp_tree(std::string_view text, CppMacros::Read read_header) {
    CppMacros macros(std::move(read_header));
    std::vector<CppToken> tokens = CppScanner(text, &macros).scan();
    return TreeMaker(std::move(tokens), macros).make();
}

}  // namespace memtrace::analyzer
