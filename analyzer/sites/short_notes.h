// SPDX-License-Identifier: Apache-2.0
//
// Notes of the recording for people: what is true of many libraries is said once.
//
//   coverage: /usr/lib/php/ffi.so calls libc's own functions for memory, past memtrace. The same
//   is true of exif.so, pdo.so.
#pragma once

#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// The subject of the note about other images of the same process, which belongs into the head of a
// report: it says which part of the process the figures are about.
inline constexpr const char* images_subject = "exec";

// Joins notes of one subject that differ only in the path with which they begin. The order is that
// of the first of each kind.
std::vector<NoteInfo> short_notes(const std::vector<NoteInfo>& notes);

}  // namespace memtrace::analyzer
