// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {

namespace {

// Returns the bytes of a character that begins with `lead`, or 0 if no character does.
size_t bytes_announced(uint8_t lead) {
    if (lead < 0x80) return 1;
    if (lead >= 0xc2 && lead <= 0xdf) return 2;
    if (lead >= 0xe0 && lead <= 0xef) return 3;
    if (lead >= 0xf0 && lead <= 0xf4) return 4;
    return 0;
}

// True if `second` may follow `lead`. The second byte rules out overlong forms, surrogates and
// numbers beyond Unicode.
bool may_follow(uint8_t lead, uint8_t second) {
    switch (lead) {
        case 0xe0: return second >= 0xa0 && second <= 0xbf;
        case 0xed: return second >= 0x80 && second <= 0x9f;
        case 0xf0: return second >= 0x90 && second <= 0xbf;
        case 0xf4: return second >= 0x80 && second <= 0x8f;
        default: return second >= 0x80 && second <= 0xbf;
    }
}

bool is_surrogate(uint32_t c) { return c >= 0xd800 && c <= 0xdfff; }

}  // namespace

Utf8Piece first_piece(std::string_view text) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
    const size_t whole = bytes_announced(byte(0));
    size_t bytes = 1;
    while (bytes < whole && bytes < text.size()) {
        if (bytes == 1 ? !may_follow(byte(0), byte(1)) : (byte(bytes) & 0xc0) != 0x80) break;
        ++bytes;
    }
    return {bytes, bytes == whole};
}

bool is_control_character(std::string_view character) {
    const auto byte = [&](size_t i) { return static_cast<uint8_t>(character[i]); };
    if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7f;
    if (character.size() == 2) {
        return (byte(0) == 0xc2 && byte(1) < 0xa0) || character == "\xd8\x9c";  // C1, U+061C
    }
    if (character.size() != 3 || byte(0) != 0xe2) return false;
    const bool is_mark = byte(1) == 0x80 && ((byte(2) >= 0x8e && byte(2) <= 0x8f) ||  // U+200E, F
                                             (byte(2) >= 0xa8 && byte(2) <= 0xae));   // U+2028-202E
    return is_mark || (byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);        // U+2066-2069
}

std::string_view without_utf8_mark(std::string_view text) {
    constexpr std::string_view mark = "\xef\xbb\xbf";
    return text.starts_with(mark) ? text.substr(mark.size()) : text;
}

std::string valid_utf8(std::string_view text) {
    std::string valid;
    while (!text.empty()) {
        const Utf8Piece piece = first_piece(text);
        valid += piece.is_character ? text.substr(0, piece.bytes) : replacement_character;
        text.remove_prefix(piece.bytes);
    }
    return valid;
}

void append_utf8(std::string& out, uint32_t c) {
    if (is_surrogate(c) || c > 0x10ffff) {
        out += replacement_character;
        return;
    }
    const auto put = [&](uint32_t byte) { out.push_back(static_cast<char>(byte)); };
    if (c < 0x80) return put(c);
    if (c < 0x800) {
        put(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        put(0xe0 | c >> 12);
        put(0x80 | (c >> 6 & 0x3f));
    } else {
        put(0xf0 | c >> 18);
        put(0x80 | (c >> 12 & 0x3f));
        put(0x80 | (c >> 6 & 0x3f));
    }
    put(0x80 | (c & 0x3f));
}

std::string python_text(std::string_view bytes, unsigned kind) {
    if (kind != 2 && kind != 4) kind = 1;
    std::string out;
    out.reserve(bytes.size() / kind);
    for (; bytes.size() >= kind; bytes.remove_prefix(kind)) {
        uint32_t c = 0;
        for (unsigned i = kind; i-- > 0;) c = c << 8 | static_cast<uint8_t>(bytes[i]);
        // The error handler "surrogateescape": byte 0x80 + n of a file name is character U+DC80 +
        // n.
        const bool is_escaped_byte = c >= 0xdc80 && c <= 0xdcff;
        if (is_escaped_byte) out.push_back(static_cast<char>(c & 0xff));
        else append_utf8(out, c);
    }
    return out;
}

}  // namespace memtrace::analyzer
