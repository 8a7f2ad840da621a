// SPDX-License-Identifier: Apache-2.0
#include "preload/gpu/gpu_crosscheck.h"

#include <atomic>
#include <initializer_list>

#include "preload/base/fixed_text.h"
#include "preload/recording/record.h"

namespace memtrace::preload {
namespace {

struct Tally {
    std::atomic<uint64_t> calls{0};
    std::atomic<uint64_t> answers{0};
};

struct Row {
    Api api;
    const char* name;
};
constexpr Row rows[] = {
#define MEMTRACE_GPU_API(id, name, record, memory) {Api::name, #name},
#include "memtrace/dump/gpu_apis.def"
};
constexpr unsigned rows_count = sizeof rows / sizeof *rows;
constexpr unsigned first_id = static_cast<unsigned>(rows[0].api);

Tally by_hooks[rows_count];
Tally by_callbacks[rows_count];

uint64_t calls_of(const Tally& tally) { return tally.calls.load(std::memory_order_relaxed); }
uint64_t answers_of(const Tally& tally) { return tally.answers.load(std::memory_order_relaxed); }

void note_difference(const char* name, const Tally& hooks, const Tally& callbacks) {
    FixedText<300> text(name);
    if (calls_of(hooks) != calls_of(callbacks)) {
        text << ": the hooks saw " << calls_of(hooks) << " calls, CUPTI " << calls_of(callbacks)
             << '.';
    } else {
        text << ": the hooks and CUPTI saw " << calls_of(hooks)
             << " calls each, but not the same answers.";
    }
    record_note("gpu crosscheck", text.view());
}

}  // namespace

void count_in_crosscheck(GpuBackend seen_by, Api api, uint64_t answer) {
    const unsigned index = static_cast<unsigned>(api) - first_id;
    if (index >= rows_count) return;
    Tally& tally = seen_by == GpuBackend::driver ? by_hooks[index] : by_callbacks[index];
    tally.calls.fetch_add(1, std::memory_order_relaxed);
    tally.answers.fetch_add(answer, std::memory_order_relaxed);
}

void note_crosscheck() {
    uint64_t calls = 0;
    uint64_t seen = 0;
    bool is_same = true;
    for (unsigned i = 0; i < rows_count; ++i) {
        const Tally& hooks = by_hooks[i];
        const Tally& callbacks = by_callbacks[i];
        calls += calls_of(hooks);
        seen += calls_of(hooks) + calls_of(callbacks);
        if (calls_of(hooks) == calls_of(callbacks) && answers_of(hooks) == answers_of(callbacks)) {
            continue;
        }
        is_same = false;
        note_difference(rows[i].name, hooks, callbacks);
    }
    if (seen == 0 || !is_same) return;
    FixedText<200> text("the hooks and CUPTI saw the same ");
    text << calls << " calls, with the same answers.";
    record_note("gpu crosscheck", text.view());
}

void forget_crosscheck() {
    for (unsigned i = 0; i < rows_count; ++i) {
        for (Tally* tally : {&by_hooks[i], &by_callbacks[i]}) {
            tally->calls.store(0);
            tally->answers.store(0);
        }
    }
}

}  // namespace memtrace::preload
