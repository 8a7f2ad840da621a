// SPDX-License-Identifier: Apache-2.0
//
// A name is parsed into a small tree in which every bracket is a node:
//
//   a::b<int, c<d> >::f(x) const   =   "a::b" <"int", "c"<"d">> "::f" ("x") " const"
//
// Dropping the parameters or the allocator then takes a few lines each, and never meets a comma or
// an angle bracket of another level.
#include "analyzer/frames/short_name.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {

namespace {

struct Piece;
using Name = std::vector<Piece>;  // pieces side by side

struct Piece {
    char open = 0;  // '<', '(', '[' or '{'; 0: only text
    std::string text;
    std::vector<Name> items;  // between the brackets, split at commas
};

constexpr int depth_max = 100;

char closing(char open) {
    switch (open) {
        case '<': return '>';
        case '(': return ')';
        case '[': return ']';
        default: return '}';
    }
}

// ---- reading -----------------------------------------------------------------------------------

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Name run() {
        Name name;
        while (at_ < text_.size()) {
            parse_into(name, 0);
            if (at_ < text_.size()) add_text(name, text_[at_++]);  // An unmatched bracket.
        }
        return name;
    }

private:
    static void add_text(Name& name, std::string_view text) {
        if (name.empty() || name.back().open != 0) name.emplace_back();
        name.back().text += text;
    }
    static void add_text(Name& name, char c) { add_text(name, std::string_view(&c, 1)); }

    // Returns the length of an operator's name ("operator<<", "operator->") at the current
    // position, or 0.
    size_t operator_length() const {
        static constexpr std::array<std::string_view, 13> signs{
            "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "<", ">"};
        static constexpr std::string_view word = "operator";
        const std::string_view rest = text_.substr(at_);
        if (!rest.starts_with(word)) return 0;
        if (at_ > 0 && (std::isalnum(static_cast<unsigned char>(text_[at_ - 1])) != 0 ||
                        text_[at_ - 1] == '_')) {
            return 0;
        }
        for (const std::string_view sign : signs) {
            if (rest.substr(word.size()).starts_with(sign)) return word.size() + sign.size();
        }
        return 0;
    }

    // Parses up to an unexpected closing bracket, or a comma inside brackets.
    void parse_into(Name& name, int depth) {
        while (at_ < text_.size()) {
            if (const size_t length = operator_length(); length > 0) {
                add_text(name, text_.substr(at_, length));
                at_ += length;
                continue;
            }
            const char c = text_[at_];
            if (c == '>' && at_ > 0 && text_[at_ - 1] == '-') {
                add_text(name, text_[at_++]);
            } else if (c == '>' || c == ')' || c == ']' || c == '}') {
                return;
            } else if (c == ',' && depth > 0) {
                return;
            } else if ((c == '<' || c == '(' || c == '[' || c == '{') && depth < depth_max) {
                parse_bracket(name, depth);
            } else {
                add_text(name, c);
                ++at_;
            }
        }
    }

    void parse_bracket(Name& name, int depth) {
        Piece piece;
        piece.open = text_[at_++];
        for (bool more = true; more;) {
            Name item;
            while (at_ < text_.size() && text_[at_] == ' ') ++at_;
            parse_into(item, depth + 1);
            if (!item.empty() && item.back().open == 0) {
                std::string& last = item.back().text;
                while (last.ends_with(' ')) last.pop_back();
            }
            more = at_ < text_.size() && text_[at_] == ',';
            if (!item.empty() || more || !piece.items.empty()) {
                piece.items.push_back(std::move(item));
            }
            if (at_ < text_.size()) ++at_;  // the comma or the closing bracket
        }
        name.push_back(std::move(piece));
    }

    std::string_view text_;
    size_t at_ = 0;
};

// ---- writing -----------------------------------------------------------------------------------

// Appends the text of a name. Template arguments deeper than `depth` become "…", and below zero
// they are left out.
void write(const Name& name, int depth, std::string& out) {
    for (const Piece& piece : name) {
        if (piece.open == 0) {
            out += piece.text;
            continue;
        }
        if (piece.open == '<' && depth < 0) continue;
        out += piece.open;
        if (piece.open == '<' && depth <= 0 && !piece.items.empty()) {
            out += "...";
        } else {
            const int inner = piece.open == '<' ? depth - 1 : depth;
            for (size_t i = 0; i < piece.items.size(); ++i) {
                if (i > 0) out += ", ";
                write(piece.items[i], inner, out);
            }
        }
        out += closing(piece.open);
    }
}

std::string written(const Name& name, int depth = depth_max) {
    std::string out;
    write(name, depth, out);
    return out;
}

// ---- making it shorter -------------------------------------------------------------------------

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    for (size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
        text.replace(at, from.size(), to);
    }
}

// Removes namespaces that exist only to version a library, and other noise in plain text.
void plain_text(std::string& text) {
    static constexpr std::array<std::string_view, 6> versions{
        "::__cxx11::", "::__1::", "::__2::", "::__ndk1::", "::_V2::", "::__8::"};
    for (const std::string_view version : versions) replace_all(text, version, "::");
    replace_all(text, "__gnu_cxx::__normal_iterator", "iterator");
    replace_all(text, "unsigned long", "ulong");
    replace_all(text, "unsigned int", "uint");
    replace_all(text, "unsigned char", "uchar");
}

bool is_default_argument(const Name& item) {
    static constexpr std::array<std::string_view, 6> defaults{
        "std::allocator", "std::char_traits", "std::default_delete",
        "std::less",      "std::hash",        "std::equal_to"};
    if (item.size() != 2 || item[0].open != 0 || item[1].open != '<') return false;
    return std::find(defaults.begin(), defaults.end(), item[0].text) != defaults.end();
}

void simplify(Name& name);

// Replaces std::basic_string<char> and its relatives by their aliases.
void name_char_types(Name& name) {
    static constexpr std::string_view prefix = "std::basic_";
    for (size_t i = 0; i + 1 < name.size(); ++i) {
        Piece& word = name[i];
        if (word.open != 0 || name[i + 1].open != '<' || name[i + 1].items.size() != 1) continue;
        const size_t at = word.text.rfind(prefix);
        if (at == std::string::npos || written(name[i + 1].items[0]) != "char") continue;
        word.text = word.text.substr(0, at) + "std::" + word.text.substr(at + prefix.size());
        name[i + 1] = Piece{};
    }
}

void simplify(Name& name) {
    for (size_t i = 0; i < name.size(); ++i) {
        Piece& piece = name[i];
        if (piece.open == 0) plain_text(piece.text);
        for (Name& item : piece.items) simplify(item);
        if (piece.open == '<') {
            while (piece.items.size() > 1 && is_default_argument(piece.items.back())) {
                piece.items.pop_back();
            }
        }
        const bool abi_tag = piece.open == '[' && written({piece}).starts_with("[abi:");
        if (abi_tag) piece = Piece{};
        if (piece.open == '(' && written({piece}) == "(anonymous namespace)") {
            piece = Piece{};
            piece.text = "(anon)";
        }
    }
    name_char_types(name);
}

bool starts_with_qualifier(const std::string& text, std::string_view& word) {
    for (const std::string_view candidate : {" const", " volatile", " &&", " &"}) {
        if (!text.starts_with(candidate)) continue;
        word = candidate;
        return true;
    }
    return false;
}

// Removes parameters: a round bracket after a function's name.
//   f(int) const -> f     {lambda(int)#1}::operator()(int) const -> {lambda#1}::operator()
// Inside template arguments, "int (float)" is a type and stays; "f(int)::local" is a name.
void drop_parameters(Name& name, bool is_function = true) {
    for (size_t i = 0; i < name.size(); ++i) {
        for (Name& item : name[i].items) drop_parameters(item, name[i].open == '{');
        // A bracket that opens a name holds a type, as in "(anonymous namespace)::f" or "(int*)0".
        const std::string_view before =
            i > 0 && name[i - 1].open == 0 ? std::string_view(name[i - 1].text) : "";
        const bool is_operator = before.ends_with("operator*") || before.ends_with("operator&") ||
                                 before.ends_with("operator&&");
        const bool opens_name =
            i == 0 || (!before.empty() && !is_operator &&
                       std::string_view(" :&*(").find(before.back()) != std::string_view::npos);
        if (name[i].open != '(' || opens_name) continue;
        const bool last = i + 1 >= name.size() || name[i + 1].open != 0;
        std::string behind = last ? std::string() : name[i + 1].text;
        for (std::string_view word; starts_with_qualifier(behind, word);) {
            behind.erase(0, word.size());
        }
        if (!is_function && !behind.starts_with("::")) continue;
        name[i] = Piece{};
        if (!last) name[i + 1].text = behind;
    }
}

// Returns the position of the function's name in `text`, after a return type; 0 without one.
size_t behind_return_type(const std::string& text) {
    size_t from = std::string::npos;
    const size_t word = text.find("operator");
    if (word == 0) return 0;
    if (word != std::string::npos) from = word - 1;
    const size_t space = text.rfind(' ', from);
    return space == std::string::npos ? 0 : space + 1;
}

void remove_empty(Name& name) {
    Name kept;
    for (Piece& piece : name) {
        if (piece.open == 0 && piece.text.empty()) continue;
        for (Name& item : piece.items) remove_empty(item);
        if (piece.open == 0 && !kept.empty() && kept.back().open == 0) {
            kept.back().text += piece.text;
        } else {
            kept.push_back(std::move(piece));
        }
    }
    name = std::move(kept);
}

// Removes "[clone .part.0]", which is of no use to a reader, and the return type. A return type
// ends at the last space outside brackets, unless the space belongs to an operator's name.
void drop_around(Name& name) {
    for (Piece& piece : name) {
        if (piece.open == '[' && written({piece}).starts_with("[clone ")) piece = Piece{};
    }
    remove_empty(name);
    if (!name.empty() && name.back().open == 0) {
        while (name.back().text.ends_with(' ')) name.back().text.pop_back();
    }
    for (size_t i = name.size(); i-- > 0;) {
        std::string& text = name[i].text;
        if (name[i].open != 0 || text.find(" as ") != std::string::npos) continue;
        const size_t from = behind_return_type(text);
        if (from == 0 && text.find("operator") != 0) continue;
        text.erase(0, from);
        while (text.starts_with('*') || text.starts_with('&')) text.erase(0, 1);
        name.erase(name.begin(), name.begin() + static_cast<ptrdiff_t>(i));
        return;
    }
}

// True if text begins with a name that a programmer gave: no lambda, and no operator.
bool begins_with_name(std::string_view text) {
    return !text.empty() &&
           (std::isalpha(static_cast<unsigned char>(text[0])) != 0 || text[0] == '_' ||
            text[0] == '~') &&
           !text.starts_with("operator");
}

// The end of a name, after some of its namespaces: "...List<int>::grow".
struct NameEnd {
    std::string text;  // empty: no end fits
    bool has_class = false;
};

// Returns the longest end that begins with a part of the name and fits.
NameEnd end_of(const Name& name, int depth, size_t width) {
    static constexpr std::string_view mark = "...", separator = "::";
    for (size_t i = 0; i < name.size(); ++i) {
        if (name[i].open != 0) continue;
        for (size_t at = 0; (at = name[i].text.find(separator, at)) != std::string::npos;) {
            at += separator.size();
            Name rest(name.begin() + static_cast<ptrdiff_t>(i), name.end());
            rest.front().text.erase(0, at);
            if (!begins_with_name(rest.front().text)) continue;
            std::string text = std::string(mark) + written(rest, depth);
            if (display_width(text) > width) continue;
            return {std::move(text), written(rest, -1).find(separator) != std::string::npos};
        }
    }
    return {};
}

// Returns the name without outer namespaces. Empty: what fits says too little.
std::string without_namespaces(const Name& name, size_t width) {
    std::string function;
    for (int depth = 2; depth >= -1; --depth) {
        NameEnd end = end_of(name, depth, width);
        if (end.has_class) return std::move(end.text);
        if (function.empty()) function = std::move(end.text);
    }
    return display_width(function) >= width / 3 ? function : "";
}

// True for names without anything that shorten() could leave out. Most C and Python names are such.
bool is_plain(std::string_view name) {
    return name.find_first_of("<>()[]{} *&") == name.npos && name.find("::_") == name.npos &&
           name.find("operator") == name.npos && name.find("__gnu_cxx") == name.npos;
}

}  // namespace

std::string cut_middle(const std::string& text, size_t width) {
    if (display_width(text) <= width) return text;
    if (width < 8) return cut_to_width(text, width);
    const size_t tail = (width - 3) * 2 / 3;
    size_t from = text.size() - std::min(tail, text.size());
    while (from < text.size() && (text[from] & 0xc0) == 0x80) ++from;
    return cut_to_width(text, width - 3 - tail) + "..." + text.substr(from);
}

std::string shorten(std::string_view full, size_t width) {
    if (full.starts_with('[')) return cut_to_width(std::string(full), width);
    if (is_plain(full)) return cut_middle(std::string(full), width);
    Name name = Parser(full).run();
    remove_empty(name);
    simplify(name);
    remove_empty(name);
    drop_parameters(name);
    drop_around(name);
    std::string text;
    for (int depth = 2; depth >= 0; --depth) {
        text = written(name, depth);
        if (display_width(text) <= width) return text;
    }
    const std::string end = without_namespaces(name, width);
    return end.empty() ? cut_middle(text, width) : end;
}

}  // namespace memtrace::analyzer
