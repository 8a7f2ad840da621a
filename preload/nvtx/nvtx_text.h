// SPDX-License-Identifier: Apache-2.0
//
// The message of an annotation, as UTF-8. NVTX has narrow, wide and registered messages, or none.
#pragma once

#include <cstddef>
#include <string_view>

#include "preload/nvtx/nvtx_types.h"

namespace memtrace::preload::nvtx {

class Message {
public:
    static constexpr size_t bytes_max = 4096;  // the limit of every mark

    explicit Message(const char* text);
    // Converts wide characters to UTF-8. An invalid character becomes U+FFFD. No character is cut
    // in the middle.
    explicit Message(const wchar_t* text);
    explicit Message(const Attributes* event);
    ~Message();
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;

    std::string_view view() const { return text_; }

private:
    void take(const char* text);
    void take(const wchar_t* text);

    std::string_view text_;
    char* converted_ = nullptr;  // pages for text that was converted; a stack may be small
};

}  // namespace memtrace::preload::nvtx
