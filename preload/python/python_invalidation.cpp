// SPDX-License-Identifier: Apache-2.0
#include "preload/python/python_invalidation.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <time.h>

#include <cstring>

#include "preload/base/clock.h"
#include "preload/base/elf_headers.h"
#include "preload/base/hot_data.h"
#include "preload/base/sys.h"
#include "preload/loader/loaded_object.h"
#include "preload/python/python_codes.h"
#include "preload/unwind/stack_reader.h"

namespace memtrace::preload {

MEMTRACE_HOT_DATA std::atomic<bool> FreedCodes::is_watched_{false};
std::atomic<uint64_t> FreedCodes::reserved_{0};
MEMTRACE_HOT_DATA std::atomic<uint64_t> FreedCodes::count_{0};
std::atomic<uint64_t> FreedCodes::codes_[codes_max];

namespace {

using Dealloc = void (*)(void*);
std::atomic<Dealloc> code_dealloc{nullptr};
std::atomic<void (*)()> called_when_freed{nullptr};

// Called when the interpreter frees a code object, while the thread holds its GIL. Noted before the
// memory can be reused and once more afterwards, because in 3.11.0 and 3.11.1 its frame can be
// found until then.
void dealloc_and_note(void* object) {
    const auto code = reinterpret_cast<uint64_t>(object);
    begin_freeing_python_code(code);
    FreedCodes::note(code);
    code_dealloc.load(std::memory_order_relaxed)(object);
    FreedCodes::note(code);
    end_freeing_python_code(code);
    if (const auto call = called_when_freed.load(std::memory_order_acquire)) call();
}

std::atomic<Dealloc>& dealloc_slot() {
    return *reinterpret_cast<std::atomic<Dealloc>*>(python.code_type + PythonLayout::type_dealloc);
}

bool look_up(uint64_t address, dl_find_object& found) {
    return find_loaded_object(reinterpret_cast<void*>(address), found);
}

// True if the module's program headers make the address permanently writable.
bool is_in_writable_data(const dl_find_object& module, uint64_t address) {
    const ElfHeaders headers(reinterpret_cast<uint64_t>(module.dlfo_map_start),
                             module.dlfo_link_map->l_name);
    bool is_writable = false;
    for (const ElfW(Phdr) & header : headers.get()) {
        const uint64_t begin = module.dlfo_link_map->l_addr + header.p_vaddr;
        if (address - begin >= header.p_memsz) continue;
        if (header.p_type == PT_GNU_RELRO) return false;
        if (header.p_type == PT_LOAD) is_writable = (header.p_flags & PF_W) != 0;
    }
    return is_writable;
}

// True if this is the type "code" of an interpreter that frees its objects itself.
bool is_replaceable(uint64_t type) {
    dl_find_object module;
    if (!look_up(type, module)) return false;
    if (!is_in_writable_data(module, type + PythonLayout::type_dealloc)) return false;
    const uint64_t name = word_at(type + PythonLayout::type_name);
    if (!is_readable(name) || std::strcmp(reinterpret_cast<const char*>(name), "code") != 0) {
        return false;
    }
    dl_find_object code;
    return look_up(word_at(type + PythonLayout::type_dealloc), code) &&
           code.dlfo_link_map == module.dlfo_link_map;
}

std::atomic<PythonWalkFlag*> flags{nullptr};
std::atomic<bool> has_waited{false};
std::atomic<uint32_t> ends_begun{0};
std::atomic<bool> is_end_new{false};
bool has_membarrier;

// True if Python was found in an object that came after the start. Only such an object can be
// unloaded.
bool came_late;

std::atomic<void (*)(bool)> called_when_found{nullptr};

void begin_to_watch() {
    if (python_state() == PythonState::validating) {
        has_membarrier =
            sys::call(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
        FreedCodes::watch();
    }
    if (const auto call = called_when_found.load()) call(came_late);
}

std::atomic<uint32_t> pauses{0};
std::atomic<PythonState> paused_state{PythonState::none};

bool is_still_loaded() {
    dl_find_object module;
    return look_up(reinterpret_cast<uint64_t>(python.this_thread_state), module) &&
           look_up(python.runtime, module);
}

}  // namespace

void call_when_python_is_found(void (*call)(bool is_late)) { called_when_found.store(call); }

void start_python(void* library) {
    if (find_python(library)) begin_to_watch();
}

void start_python_in(const dl_phdr_info& object) {
    if (!find_python_in(object)) return;
    came_late = true;
    begin_to_watch();
}

void pause_python() {
    if (!came_late) return;
    if (pauses.fetch_add(1) == 0) {
        paused_state.store(python_state_word.exchange(PythonState::paused));
    }
    PythonWalkFlag::wait_for_all(nullptr);
}

void resume_python() {
    if (!came_late || pauses.fetch_sub(1) != 1) return;
    PythonState paused = PythonState::paused;
    if (is_still_loaded()) {
        python_state_word.compare_exchange_strong(paused, paused_state.load());
    } else {
        // There is no Python any more. If another interpreter comes, it is found in the same way.
        came_late = false;
        forget_python();
    }
}

void FreedCodes::watch() {
    if (!is_replaceable(python.code_type)) return;
    const Dealloc old = dealloc_slot().load(std::memory_order_relaxed);
    if (old == nullptr || old == dealloc_and_note) return;
    code_dealloc.store(old);
    dealloc_slot().store(dealloc_and_note);
    is_watched_.store(true);
}

void FreedCodes::call_when_freed(void (*call)()) { called_when_freed.store(call); }

void PythonWalkFlag::add_to_list() {
    is_listed_ = true;
    next_ = flags.load(std::memory_order_relaxed);
    while (!flags.compare_exchange_weak(next_, this, std::memory_order_release)) {
    }
}

void PythonWalkFlag::wait_for_all_once(const PythonWalkFlag* own) {
    if (has_waited.load(std::memory_order_relaxed) || has_waited.exchange(true)) return;
    ends_begun.fetch_add(1);
    is_end_new.store(true);
    wait_for_all(own);
}

bool PythonWalkFlag::take_end() {
    return is_end_new.load(std::memory_order_relaxed) && is_end_new.exchange(false);
}

uint32_t PythonWalkFlag::ends() { return ends_begun.load(std::memory_order_relaxed); }

void PythonWalkFlag::may_end_again() {
    if (has_waited.load(std::memory_order_relaxed)) has_waited.store(false);
}

void PythonWalkFlag::wait_for_all(const PythonWalkFlag* own) {
    constexpr uint64_t wait_ns_max = 10'000'000;
    constexpr uint64_t wait_ns_without_barrier = 1'000'000;
    // After this, every thread has either raised its flag visibly or will see the finaliser.
    if (has_membarrier) sys::call(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    const uint64_t begin = clock_ns(CLOCK_MONOTONIC);
    const auto waited = [begin] { return clock_ns(CLOCK_MONOTONIC) - begin; };
    while (!has_membarrier && waited() < wait_ns_without_barrier) sys::call(SYS_sched_yield);
    for (const PythonWalkFlag* flag = flags.load(std::memory_order_acquire); flag != nullptr;
         flag = flag->next_) {
        if (flag == own) continue;
        while (flag->is_raised_.load(std::memory_order_acquire) && waited() < wait_ns_max) {
            sys::call(SYS_sched_yield);
        }
    }
}

void PythonWalkFlag::lower_all() {
    for (PythonWalkFlag* flag = flags.load(std::memory_order_acquire); flag != nullptr;
         flag = flag->next_) {
        flag->lower();
    }
    has_waited.store(false);
    is_end_new.store(false);
}

}  // namespace memtrace::preload
