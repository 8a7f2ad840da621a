// SPDX-License-Identifier: Apache-2.0
#include "preload/base/thread_state.h"

namespace memtrace::preload {

__thread ThreadState thread_state __attribute__((tls_model("initial-exec")));

}  // namespace memtrace::preload
