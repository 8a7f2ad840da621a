// SPDX-License-Identifier: Apache-2.0
//
// Lets a program print which check its unwinder was built without.
#ifndef MEMTRACE_WITHOUT
#define MEMTRACE_WITHOUT none
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)

namespace truth {

extern const char* const left_out;
const char* const left_out = TEXT(MEMTRACE_WITHOUT);

}  // namespace truth
