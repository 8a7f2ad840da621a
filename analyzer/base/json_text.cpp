// SPDX-License-Identifier: Apache-2.0
#include "analyzer/base/json_text.h"

#include <fmt/format.h>

#include <utility>

#include "analyzer/base/utf8.h"

namespace memtrace::analyzer {

namespace {

// Returns the number of a character that takes two or three bytes, or one.
uint32_t number_of(std::string_view character) {
    const auto bits = [&](size_t i, unsigned mask) {
        return static_cast<uint32_t>(static_cast<uint8_t>(character[i]) & mask);
    };
    if (character.size() == 1) return bits(0, 0x7f);
    if (character.size() == 2) return bits(0, 0x1f) << 6 | bits(1, 0x3f);
    return bits(0, 0x0f) << 12 | bits(1, 0x3f) << 6 | bits(2, 0x3f);
}

// JSON itself escapes only the controls of ASCII. The others occur in names only, so an escape is
// the same name.
std::string with_escapes(std::string text) {
    std::string safe;
    size_t copied = 0;
    for (size_t at = 0; at < text.size();) {
        const auto first = static_cast<uint8_t>(text[at]);
        if (first < 0x7f) {
            ++at;
            continue;
        }
        const std::string_view rest = std::string_view(text).substr(at);
        const std::string_view character = rest.substr(0, first_piece(rest).bytes);
        if (is_control_character(character)) {
            safe.append(text, copied, at - copied);
            safe += fmt::format("\\u{:04x}", number_of(character));
            copied = at + character.size();
        }
        at += character.size();
    }
    return copied == 0 ? std::move(text) : safe.append(text, copied);
}

}  // namespace

std::string json_text(const Json& json, int indent) {
    return with_escapes(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

}  // namespace memtrace::analyzer
