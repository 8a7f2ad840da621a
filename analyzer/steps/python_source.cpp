// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/python_source.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "analyzer/steps/conditional_calls.h"

namespace memtrace::analyzer {
namespace {

// std::isalnum() asks the locale, and this is asked for each character of all sources.
bool is_word(char c) {
    const auto is_in = [c](char first, char last) { return first <= c && c <= last; };
    return is_in('a', 'z') || is_in('A', 'Z') || is_in('0', '9') || c == '_' || c < 0;
}

// A line of the language: all lines of text up to the one that ends a statement or begins a block.
struct LogicalLine {
    uint32_t line = 0;
    uint32_t end_line = 0;
    size_t indent = 0;
    std::string_view first;   // its first word
    std::string_view second;  // its second word
    std::string_view name;    // of a function or class that it defines
    bool is_header = false;   // A block follows: there is a colon outside of all brackets.
    bool has_body = false;    // Statements follow the colon on the same line.
    bool has_loop = false;    // a comprehension
    bool waits = false;       // await, yield, async for, async with
    std::string_view body;    // the first word of the body, if that is on the same line
    ConditionalCalls calls;
};

class LineReader {
public:
    explicit LineReader(std::string_view text) : text_(text) {}

    bool next(LogicalLine& line) {
        skip_empty();
        if (at_ >= text_.size()) return false;
        line = {};
        line.line = line_;
        line.indent = indent_;
        size_t depth = 0;
        bool is_lambda = false;
        size_t words = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                if (depth == 0) break;
                new_line();
            } else if (c == '\\' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') {
                at_ += 1;
                new_line();
            } else if (c == '#') {
                skip_comment();
            } else if (c == '"' || c == '\'') {
                if (line.is_header) line.has_body = true;
                skip_string();
            } else if (is_word(c)) {
                const std::string_view word = take_word();
                if (line.is_header && !line.has_body) line.body = word;
                line.has_body |= line.is_header;
                words += 1;
                if (words == 1) line.first = word;
                if (words == 2) line.second = word;
                if (words == (line.first == "async" ? 3 : 2)) line.name = word;
                is_lambda |= word == "lambda";
                line.has_loop |= depth > 0 && word == "for";
                line.waits |= word == "await" || word == "yield" || is_async(line, words, word);
                if (words > 1 && !line.has_loop) take_operator(word, line.calls);
            } else {
                if (line.is_header && c != ' ' && c != '\t' && c != '\r') line.has_body = true;
                const char before = at_ == 0 ? '\n' : text_[at_ - 1];
                if (c == '(' && (is_word(before) || before == ')' || before == ']'))
                    line.calls.add_call();
                if (c == '(' || c == '[' || c == '{') depth += 1;
                else if ((c == ')' || c == ']' || c == '}') && depth > 0) depth -= 1;
                else if (c == ':' && depth == 0 && is_lambda) is_lambda = false;
                else if (c == ':' && depth == 0 && !is_assignment()) line.is_header = true;
                at_ += 1;
            }
        }
        line.end_line = line_;
        return true;
    }

private:
    // The word `async` of a comprehension, or the second word of what follows one.
    static bool is_async(const LogicalLine& line, size_t words, std::string_view word) {
        if (words > 1 && word == "async") return true;
        return words == 2 && line.first == "async" && word != "def";
    }
    static void take_operator(std::string_view word, ConditionalCalls& calls) {
        if (word == "and" || word == "or") calls.add_either();
        else if (word == "if") calls.add_if();
        else if (word == "else") calls.add_else();
    }
    bool is_assignment() const { return at_ + 1 < text_.size() && text_[at_ + 1] == '='; }

    void new_line() {
        at_ += 1;
        line_ += 1;
    }
    void skip_comment() {
        while (at_ < text_.size() && text_[at_] != '\n') at_ += 1;
    }
    void skip_empty() {
        indent_ = 0;
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '\n') {
                new_line();
                indent_ = 0;
            } else if (c == ' ' || c == '\f' || c == '\r') {
                indent_ += c == ' ';
                at_ += 1;
            } else if (c == '\t') {
                indent_ = (indent_ / 8 + 1) * 8;
                at_ += 1;
            } else if (c == '#') {
                skip_comment();
            } else {
                return;
            }
        }
    }
    std::string_view take_word() {
        const size_t begin = at_;
        while (at_ < text_.size() && is_word(text_[at_])) at_ += 1;
        return text_.substr(begin, at_ - begin);
    }
    bool are_three(char quote) const {
        return text_.size() - at_ >= 3 && text_[at_] == quote && text_[at_ + 1] == quote &&
               text_[at_ + 2] == quote;
    }
    void skip_string() {
        const char quote = text_[at_];
        const bool is_long = are_three(quote);
        at_ += is_long ? 3 : 1;
        while (at_ < text_.size()) {
            if (text_[at_] == '\\') {
                at_ += 1;
                if (at_ < text_.size() && text_[at_] == '\n') line_ += 1;
                at_ += 1;
                continue;
            }
            if (is_long && are_three(quote)) {
                at_ += 3;
                return;
            }
            if (!is_long && text_[at_] == quote) {
                at_ += 1;
                return;
            }
            if (text_[at_] == '\n') {
                if (!is_long) return;  // The string is not closed.
                line_ += 1;
            }
            at_ += 1;
        }
    }

    std::string_view text_;
    size_t at_ = 0;
    uint32_t line_ = 1;
    size_t indent_ = 0;
};

class TreeMaker {
public:
    SourceTree make(std::string_view text) {
        LineReader reader(text);
        LogicalLine line;
        while (reader.next(line)) take(line);
        close(0);
        return std::move(tree_);
    }

private:
    // An open block whose lines are indented more than `indent`.
    struct Open {
        size_t indent;
        BlockId block;   // what its statements belong to
        BlockId branch;  // the branch or group that else, except, … of the same indent go on with
        BlockId header = 0;  // of a loop over elements
    };

    BlockId here() const { return open_.empty() ? 0 : open_.back().block; }

    void close(size_t indent) {
        while (!open_.empty() && open_.back().indent >= indent) {
            tree_.end(open_.back().block, last_line_);
            tree_.end(open_.back().branch, last_line_);
            if (open_.back().header != 0) add_cleanup(open_.back());
            last_branch_ = open_.back().branch;
            last_indent_ = open_.back().indent;
            open_.pop_back();
        }
    }

    void take(const LogicalLine& line) {
        // A block on one line was closed with it.
        if (!std::exchange(is_closed_, false)) last_branch_ = 0;
        close(line.indent);
        last_line_ = line.end_line;
        if (line.is_header && begin_block(line)) {
            if (!line.has_body) return;
            const auto on_line = tree_.at(line.line);
            const BlockId block = open_.back().block;
            add(block, line, false);
            if (on_line && tree_[block].kind == BlockKind::function) {
                tree_.block(*on_line).body = block + 1;
                tree_.add_word(*on_line, line.name);
            }
            const std::string_view word = line.first;
            const bool is_condition = word == "if" || word == "elif" || word == "case";
            if (is_condition) tree_.block(*tree_.at(line.line)).is_mixed = true;
            close(line.indent);
            is_closed_ = true;
            return;
        }
        add(here(), line, false);
    }

    void add(BlockId parent, const LogicalLine& line, bool is_header) {
        const BlockId id = tree_.add_statement(parent, line.line, line.end_line, is_header);
        tree_.block(id).has_loop = line.has_loop;
        tree_.block(id).waits = line.waits;
        if (line.is_header && !line.has_body) return;
        tree_.block(id).has_condition = line.calls.may_all_be_left_out(false);
        const std::string_view word = line.has_body ? line.body : line.first;
        if (word == "continue") tree_.add_continue(id);
        if (word == "return") tree_.add_return(id);
    }

    void add_cleanup(const Open& loop) {
        const SourceBlock header = tree_[loop.header];
        const BlockId cleanup =
            tree_.begin(BlockKind::statement, tree_[loop.block].parent, header.line);
        tree_.end(cleanup, header.end_line);
        tree_.block(loop.header).cleanup = cleanup;
    }

    BlockId add_setup(const LogicalLine& line) {
        const BlockId setup = tree_.begin(BlockKind::statement, here(), line.line);
        tree_.end(setup, line.end_line);
        tree_.block(setup).has_loop = line.has_loop;
        return setup;
    }

    // Returns false if the line begins no block.
    bool begin_block(const LogicalLine& line) {
        const std::string_view word = line.first == "async" ? line.second : line.first;
        const BlockId outer = here();
        const auto open = [&](BlockId block, BlockId branch) {
            open_.push_back({line.indent, block, branch});
        };
        const auto begin = [&](BlockKind kind, BlockId parent) {
            return tree_.begin(kind, parent, line.line);
        };
        const bool goes_on = last_branch_ != 0 && last_indent_ == line.indent && word != "case";
        if (word == "for" || word == "while") {
            const BlockId setup = word == "for" && line.first != "async" ? add_setup(line) : 0;
            const BlockId loop = begin(BlockKind::loop, outer);
            add(loop, line, true);
            open(loop, loop);
            if (setup == 0) return true;
            open_.back().header = *tree_.at(line.line);
            tree_.block(open_.back().header).setup = setup;
        } else if (word == "if" || word == "match") {
            const BlockId branch = begin(BlockKind::branch, outer);
            if (!line.has_body) add(branch, line, false);
            // The cases of a match are arms of their own.
            open(word == "if" ? begin(BlockKind::arm, branch) : branch, branch);
        } else if (word == "elif" || word == "case" || word == "else" || word == "except") {
            // The else of a loop runs behind it.
            const bool is_loop = goes_on && tree_[last_branch_].kind == BlockKind::loop;
            const BlockId parent = goes_on && !is_loop ? last_branch_ : outer;
            const BlockId arm = begin(BlockKind::arm, parent);
            if (!line.has_body) add(arm, line, false);
            open(arm, goes_on && !is_loop ? last_branch_ : arm);
        } else if (word == "try") {
            const BlockId whole = begin(BlockKind::group, outer);
            open(begin(BlockKind::group, whole), whole);
        } else if (word == "finally" || word == "with") {
            const BlockId group = begin(BlockKind::group, outer);
            if (word == "with") {
                add(group, line, false);
                if (const auto header = tree_.at(line.line)) tree_.block(*header).is_exit = true;
            }
            open(group, group);
        } else if (word == "def" || word == "class") {
            add(outer, line, false);
            const BlockId function = begin(BlockKind::function, outer);
            open(function, function);
        } else {
            return false;
        }
        return true;
    }

    SourceTree tree_;
    std::vector<Open> open_;
    BlockId last_branch_ = 0;  // of the block that the current line closed last
    size_t last_indent_ = 0;
    bool is_closed_ = false;  // last_branch_ is of the line before
    uint32_t last_line_ = 0;
};

}  // namespace

SourceTree python_tree(std::string_view text) { return TreeMaker().make(text); }

}  // namespace memtrace::analyzer
