// SPDX-License-Identifier: Apache-2.0
//
// What other processes ask of this one (include/memtrace/dump/control.h), in the header page of the
// dump. Only if the page is shared (dump_file::is_mapped()) can anybody ask.
#pragma once

#include "memtrace/dump/control.h"
#include "preload/writer/dump_file.h"

namespace memtrace::preload {

// Valid while a dump is open.
inline Control& control_page() {
    return *reinterpret_cast<Control*>(reinterpret_cast<char*>(&dump_file::header()) +
                                       control_offset);
}

template <uint32_t whole>
inline void answer(TwinNumber<whole>& word, uint32_t request) {
    __atomic_store_n(&word.word, TwinNumber<whole>::of(request).word, __ATOMIC_RELEASE);
}

}  // namespace memtrace::preload
