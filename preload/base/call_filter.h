// SPDX-License-Identifier: Apache-2.0
//
// What a filter of system calls (seccomp) would answer: runs its program as the kernel does. The
// instructions are those of classic BPF (linux/filter.h); which of them a filter may have says
// seccomp(2).
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstddef>
#include <cstdint>

namespace memtrace::preload {

// Returns the filter's answer for a call (SECCOMP_RET_* with its data), or SECCOMP_RET_KILL_PROCESS
// for a program that is not a valid filter.
uint32_t answer_of_filter(const sock_filter* program, size_t length, const seccomp_data& call);

// Returns true if the caller of a system call with this answer goes on by itself: the call is made,
// or fails with an error number.
bool lets_go_on(uint32_t answer);

}  // namespace memtrace::preload
