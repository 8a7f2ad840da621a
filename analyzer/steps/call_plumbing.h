// SPDX-License-Identifier: Apache-2.0
//
// What the functions of libraries tell about calls.
#pragma once

#include "analyzer/model/symbols.h"
#include "analyzer/steps/source_files.h"

namespace memtrace::analyzer {

// True for a function between a call and the function that is called, or the allocator. It does its
// work once for each call, so stacks that part below it part because the call was made again.
bool is_call_plumbing(const Frame& frame);

// True for a function that may take several blocks at one place each time that it is called, as the
// copy of a list does, or str.split(). What it takes does not tell how often it was called.
//
// `frame`: of a function whose lines do not count as the program's own (FramePlaces::info()). Its
// source decides, if it can be read. Else what is known of the interpreter and of NumPy does, and a
// function of another library may always do so.
bool may_take_in_a_loop(const Frame& frame, SourceFiles& files);

// True for a function of a library that calls the one it was given only if it does not know the
// answer yet: functools.lru_cache, cached_property, cachetools. Where the user's code is called by
// it, that is under a condition.
//
// `frame`: of a function that is not the user's own.
bool may_know_the_answer(const Frame& frame);

}  // namespace memtrace::analyzer
