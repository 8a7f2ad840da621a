// SPDX-License-Identifier: Apache-2.0
//
// The dlsym and dlvsym behind the shim's (hooks_dlsym.cpp), found without calling either: those of
// the first object after the shim that has them. The shim uses them for its own lookups. Another
// library in front of the shim may have replaced dlsym, and RTLD_NEXT would then start from that
// library.
#pragma once

#include <link.h>

namespace memtrace::preload {

using DlsymFunction = void* (*)(void* handle, const char* name);
using DlvsymFunction = void* (*)(void* handle, const char* name, const char* version);

// Returns the first definition behind the shim, in the order of loading, or nullptr. Waits for no
// lock that is held while constructors run.
void* find_behind_us(const char* name);

// Returns the program, the first object of the loader's list.
const link_map* main_program();

// True if an object that is loaded defines this name. Only for the start: another thread must not
// unload anything meanwhile.
bool is_defined_anywhere(const char* name);

// True if an object that is searched before the shim defines this name. Only for the start.
bool is_defined_in_front_of_us(const char* name);

DlsymFunction real_dlsym();
DlvsymFunction real_dlvsym();

bool is_own_code(const void* code);

// True if the object with this code is searched before the shim.
bool is_in_front_of_us(const void* code);

}  // namespace memtrace::preload
