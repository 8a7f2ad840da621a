// SPDX-License-Identifier: Apache-2.0
//
// dlsym and dlvsym as they are behind ours (hooks_dlsym.cpp), found without either: in the first
// object after ours that has one. What we look up ourselves, we look up by these: another library
// in front of us may have put itself between, and RTLD_NEXT would then begin at its place.
#pragma once

namespace memtrace::preload {

using DlsymFunction = void* (*)(void* handle, const char* name);
using DlvsymFunction = void* (*)(void* handle, const char* name, const char* version);

// The first definition behind us, in the order of loading; nullptr: there is none. Waits for no
// lock that is held while constructors run.
void* find_behind_us(const char* name);

DlsymFunction real_dlsym();
DlvsymFunction real_dlvsym();

bool is_own_code(const void* code);

// Whether the object with this code is searched before ours.
bool is_in_front_of_us(const void* code);

}  // namespace memtrace::preload
