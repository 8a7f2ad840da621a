// SPDX-License-Identifier: Apache-2.0
//
// Whether the program comes to the driver by a way that the hooks know. Where it does not, CUPTI may
// still see what it does there (gpu_source.h).
#pragma once

namespace memtrace::preload::cuda {

// The hook of cuInit() was called.
void somebody_came_in();
bool has_somebody_come_in();

// Another library was preloaded in front of us that has a dlsym of its own: it hands out functions of
// the driver without asking us.
bool another_dlsym_comes_first();

// A forked child comes in by itself.
void forget_doors();

}  // namespace memtrace::preload::cuda
