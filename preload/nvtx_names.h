// SPDX-License-Identifier: Apache-2.0
//
// Names that a program registers once and then means by a handle: domains, and strings of them. A
// handle that we give out is the place of its name here. Where another tool gives out its own, we
// remember which name it stands for.
//
//   * Any thread, at any time; nothing waits, and nothing is ever taken back.
//   * What a program passes as a handle may be anything: it is looked at before it is followed.
//   * When the room is used up, further names are "(no room)".
#pragma once

#include <cstdint>
#include <string_view>

namespace memtrace::preload::nvtx {

// A handle for this name. Never nullptr.
const void* add_name(std::string_view name);

// Whether the handle is one of ours.
bool is_own_name(const void* handle);

// From now on somebody else's handle means this name.
void remember_name(const void* foreign_handle, std::string_view name);

// The name of a handle, ours or remembered; empty: not known.
std::string_view name_of(const void* handle);

}  // namespace memtrace::preload::nvtx
