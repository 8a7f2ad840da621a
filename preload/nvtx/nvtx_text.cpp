// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx/nvtx_text.h"

#include <cstring>

#include "preload/base/sys.h"
#include "preload/nvtx/nvtx_names.h"

namespace memtrace::preload::nvtx {
namespace {

constexpr uint32_t replacement = 0xfffd;

std::string_view encode(uint32_t code, char (&bytes)[4]) {
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) code = replacement;
    const auto part = [&](unsigned shift) {
        return static_cast<char>(0x80 | ((code >> shift) & 0x3f));
    };
    if (code < 0x80) {
        bytes[0] = static_cast<char>(code);
        return {bytes, 1};
    }
    if (code < 0x800) {
        bytes[0] = static_cast<char>(0xc0 | code >> 6);
        bytes[1] = part(0);
        return {bytes, 2};
    }
    if (code < 0x10000) {
        bytes[0] = static_cast<char>(0xe0 | code >> 12);
        bytes[1] = part(6);
        bytes[2] = part(0);
        return {bytes, 3};
    }
    bytes[0] = static_cast<char>(0xf0 | code >> 18);
    bytes[1] = part(12);
    bytes[2] = part(6);
    bytes[3] = part(0);
    return {bytes, 4};
}

}  // namespace

Message::Message(const char* text) { take(text); }
Message::Message(const wchar_t* text) { take(text); }

Message::Message(const Attributes* event) {
    if (event == nullptr || event->size < sizeof(Attributes)) return;
    switch (event->message_type) {
        case MessageType::ascii: take(event->message.ascii); return;
        case MessageType::wide: take(event->message.wide); return;
        case MessageType::registered: text_ = names.name_of(event->message.registered); return;
        case MessageType::unknown: break;
    }
}

Message::~Message() {
    if (converted_ != nullptr) sys::unmap(converted_, bytes_max);
}

void Message::take(const char* text) {
    if (text != nullptr) text_ = {text, strnlen(text, bytes_max)};
}

void Message::take(const wchar_t* text) {
    if (text == nullptr || *text == 0) return;
    converted_ = static_cast<char*>(sys::map_private(bytes_max));
    if (converted_ == nullptr) return;
    size_t size = 0;
    for (; *text != 0; ++text) {
        char bytes[4];
        const std::string_view character = encode(static_cast<uint32_t>(*text), bytes);
        if (size + character.size() > bytes_max) break;
        std::memcpy(converted_ + size, character.data(), character.size());
        size += character.size();
    }
    text_ = {converted_, size};
}

}  // namespace memtrace::preload::nvtx
