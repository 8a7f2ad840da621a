// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/code_unload.h"

#include "preload/stack/autograd.h"
#include "preload/stack/modules.h"
#include "preload/stack/stack_table.h"
#include "preload/unwind/rule_cache.h"
#include "preload/unwind/unwind_generation.h"

namespace memtrace::preload {
namespace {

void forget_code(uint64_t begin, uint64_t end) {
    forget_nodes();
    forget_unwind_rules(begin, end);
    forget_autograd(begin, end);
}

}  // namespace

void forget_unloaded_code() { forget_unloaded_modules(forget_code); }

void forget_code_that_went_unseen() {
    begin_unload();
    forget_unloaded_modules(forget_code);
    end_unload();
}

}  // namespace memtrace::preload
