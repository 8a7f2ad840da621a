// SPDX-License-Identifier: Apache-2.0
//
// The grammar is Rust RFC 2603. Each production is one function that reads at `at_` and appends to
// `out_`. Lifetimes and disambiguators are read but not shown, because they do not help a reader.
#include "analyzer/frames/demangle_rust.h"

#include <array>
#include <cstdint>
#include <utility>

namespace memtrace::analyzer {

namespace {

bool is_lower_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

constexpr size_t hash_suffix = 3 + 16;  // "::h" and the digits

// Returns the sign that an old name spells at the beginning of `text`, and the number of characters
// that spell it; {"", 0} if there is none.
std::pair<std::string, size_t> old_sign(std::string_view text) {
    static constexpr std::array<std::pair<std::string_view, char>, 8> signs{{
        {"$SP$", '@'},
        {"$BP$", '*'},
        {"$RF$", '&'},
        {"$LT$", '<'},
        {"$GT$", '>'},
        {"$LP$", '('},
        {"$RP$", ')'},
        {"$C$", ','},
    }};
    for (const auto& [spelled, sign] : signs) {
        if (text.starts_with(spelled)) return {std::string(1, sign), spelled.size()};
    }
    const size_t end = text.find('$', 1);
    if (!text.starts_with("$u") || end == std::string_view::npos || end > 8) return {{}, 0};
    uint32_t code = 0;
    for (const char c : text.substr(2, end - 2)) {
        if (!is_lower_hex(c)) return {{}, 0};
        code = code * 16 + static_cast<uint32_t>(c <= '9' ? c - '0' : c - 'a' + 10);
    }
    if (code < 0x20 || code > 0x7e) return {"?", end + 1};
    return {std::string(1, static_cast<char>(code)), end + 1};
}

class Reader {
public:
    explicit Reader(std::string_view text) : text_(text) {}

    bool symbol() {
        path();
        // The crate that instantiated the symbol and a vendor's suffix (".llvm.123") may follow.
        return ok_ && !out_.empty();
    }
    std::string take() { return std::move(out_); }

private:
    static constexpr int depth_max = 200;
    static constexpr size_t output_max = 1 << 14;

    // One level of nesting. Clears ok_ if the nesting is too deep or the output is too long.
    struct Level {
        explicit Level(Reader& reader) : reader_(reader) {
            ++reader_.depth_;
            if (reader_.depth_ > depth_max || reader_.out_.size() > output_max) reader_.ok_ = false;
        }
        ~Level() { --reader_.depth_; }
        Reader& reader_;
    };

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    char next() {
        if (at_ >= text_.size()) {
            ok_ = false;
            return '\0';
        }
        return text_[at_++];
    }
    bool eat(char c) {
        if (peek() != c) return false;
        ++at_;
        return true;
    }
    void append(std::string_view text) {
        if (!silent_) out_ += text;
    }

    uint64_t base62() {
        if (eat('_')) return 0;
        uint64_t value = 0;
        while (ok_ && !eat('_')) {
            const char c = next();
            uint64_t digit = 0;
            if (c >= '0' && c <= '9') digit = c - '0';
            else if (c >= 'a' && c <= 'z') digit = c - 'a' + 10;
            else if (c >= 'A' && c <= 'Z') digit = c - 'A' + 36;
            else ok_ = false;
            value = value * 62 + digit;
        }
        return value + 1;
    }

    uint64_t disambiguator() { return eat('s') ? base62() + 1 : 0; }

    std::string_view identifier() {
        eat('u');  // Punycode is shown as it is.
        size_t length = 0;
        if (peek() < '0' || peek() > '9') ok_ = false;
        if (!eat('0')) {
            while (peek() >= '0' && peek() <= '9' && length < text_.size()) {
                length = length * 10 + (next() - '0');
            }
        }
        eat('_');
        if (!ok_ || length > text_.size() - at_) {
            ok_ = false;
            return {};
        }
        const std::string_view name = text_.substr(at_, length);
        at_ += length;
        return name;
    }

    // Runs `production` at an earlier position, then returns to this one. Only reads the reference
    // while silent.
    void back_reference(auto&& production) {
        const size_t start = at_ - 1;
        const size_t target = base62();
        if (!ok_ || target >= start) {
            ok_ = false;
            return;
        }
        if (silent_) return;
        const size_t after = std::exchange(at_, target);
        production();
        at_ = after;
    }

    void impl_path() {
        disambiguator();
        const bool before = std::exchange(silent_, true);
        path();
        silent_ = before;
    }

    void path(bool in_value = true) {
        const Level level(*this);
        if (!ok_) return;
        switch (next()) {
            case 'C':
                disambiguator();
                append(identifier());
                break;
            case 'M':
                impl_path();
                append("<");
                type();
                append(">");
                break;
            case 'X': impl_path(); [[fallthrough]];
            case 'Y':
                append("<");
                type();
                append(" as ");
                path(false);
                append(">");
                break;
            case 'N': nested_path(in_value); break;
            case 'I':
                path(in_value);
                append(in_value ? "::<" : "<");
                list([&] { generic_argument(); });
                append(">");
                break;
            case 'B': back_reference([&] { path(in_value); }); break;
            default: ok_ = false;
        }
    }

    void nested_path(bool in_value) {
        const char space = next();
        path(in_value);
        const uint64_t number = disambiguator();
        const std::string_view name = identifier();
        if (space >= 'a' && space <= 'z') {
            if (!name.empty()) append("::"), append(name);
            return;
        }
        append("::{");
        append(space == 'C' ? "closure" : space == 'S' ? "shim" : std::string_view(&space, 1));
        if (!name.empty()) append(":"), append(name);
        append("#" + std::to_string(number) + "}");
    }

    size_t list(auto&& item) {
        size_t count = 0;
        for (; ok_ && !eat('E'); ++count) {
            if (count > 0) append(", ");
            item();
        }
        return count;
    }

    void generic_argument() {
        if (eat('L')) {
            base62();
            append("'_");
        } else if (eat('K')) {
            constant();
        } else {
            type();
        }
    }

    static std::string_view basic_type(char c) {
        static constexpr std::string_view letters = "abcdefhijlmnostuvxyzp";
        static constexpr std::array<std::string_view, 21> names{
            "i8",   "bool", "char", "f64", "str", "f32", "u8",  "isize", "usize", "i32", "u32",
            "i128", "u128", "i16",  "u16", "()",  "...", "i64", "u64",   "!",     "_"};
        const size_t at = letters.find(c);
        return at == std::string_view::npos ? std::string_view() : names[at];
    }

    void pointer(std::string_view sign) {
        append(sign);
        if (sign.starts_with('&') && eat('L')) base62();
        type();
    }

    void type() {
        const Level level(*this);
        if (!ok_) return;
        const char c = peek();
        if (const std::string_view name = basic_type(c); c != '\0' && !name.empty()) {
            ++at_;
            return append(name);
        }
        if (std::string_view("CMXYNI").find(c) != std::string_view::npos && c != '\0') {
            return path(false);
        }
        switch (next()) {
            case 'A':
                append("[");
                type();
                append("; ");
                constant();
                return append("]");
            case 'S':
                append("[");
                type();
                return append("]");
            case 'T':
                append("(");
                if (list([&] { type(); }) == 1) append(",");
                return append(")");
            case 'R': return pointer("&");
            case 'Q': return pointer("&mut ");
            case 'P': return pointer("*const ");
            case 'O': return pointer("*mut ");
            case 'F': return function_type();
            case 'D': return dyn_type();
            case 'B': return back_reference([&] { type(); });
            default: ok_ = false;
        }
    }

    void function_type() {
        if (eat('G')) base62();
        if (eat('U')) append("unsafe ");
        if (eat('K') && !eat('C')) identifier();
        append("fn(");
        list([&] { type(); });
        append(")");
        if (eat('u')) return;
        append(" -> ");
        type();
    }

    void dyn_type() {
        if (eat('G')) base62();
        append("dyn ");
        for (bool first = true; ok_ && !eat('E'); first = false) {
            if (!first) append(" + ");
            path(false);
            while (ok_ && eat('p')) {
                const bool more = !silent_ && out_.ends_with('>');
                if (more) out_.pop_back();
                append((more ? ", " : "<") + std::string(identifier()) + " = ");
                type();
                append(">");
            }
        }
        if (eat('L')) base62();
    }

    void constant() {
        if (eat('B')) return back_reference([&] { constant(); });
        if (eat('p')) return append("_");
        const char kind = next();
        if (basic_type(kind).empty()) {
            ok_ = false;
            return;
        }
        if (eat('n')) append("-");
        std::string digits;
        while (ok_ && !eat('_')) digits += next();
        uint64_t value = 0;
        for (const char c : digits) {
            if (!is_lower_hex(c)) ok_ = false;
            value = value * 16 + static_cast<uint64_t>(c <= '9' ? c - '0' : c - 'a' + 10);
        }
        if (kind == 'b') return append(value != 0 ? "true" : "false");
        append(digits.size() > 16 ? "0x" + digits : std::to_string(value));
    }

    std::string_view text_;
    size_t at_ = 0;
    std::string out_;
    bool ok_ = true;
    bool silent_ = false;
    int depth_ = 0;
};

}  // namespace

bool is_old_rust(std::string_view name) {
    if (name.size() <= hash_suffix) return false;
    const std::string_view suffix = name.substr(name.size() - hash_suffix);
    if (!suffix.starts_with("::h")) return false;
    for (const char c : suffix.substr(3)) {
        if (!is_lower_hex(c)) return false;
    }
    return true;
}

std::string clean_old_rust(std::string_view name) {
    name.remove_suffix(hash_suffix);
    std::string text;
    for (size_t at = 0; at < name.size();) {
        const std::string_view rest = name.substr(at);
        // A part that begins with a sign has an underscore before it, because C++ names must.
        const bool starts_part = at == 0 || name[at - 1] == ':';
        if (starts_part && rest.starts_with("_$")) {
            ++at;
            continue;
        }
        if (rest.starts_with("..")) {
            text += "::";
            at += 2;
            continue;
        }
        if (rest[0] == '$') {
            if (const auto [sign, length] = old_sign(rest); length > 0) {
                text += sign;
                at += length;
                continue;
            }
        }
        text += name[at++];
    }
    return text;
}

std::string demangle_rust(std::string_view name) {
    if (!name.starts_with("_R")) return std::string(name);
    Reader reader(name.substr(2));
    return reader.symbol() ? reader.take() : std::string(name);
}

}  // namespace memtrace::analyzer
