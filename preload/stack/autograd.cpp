// SPDX-License-Identifier: Apache-2.0
#include "preload/stack/autograd.h"

#include <cstring>

#include "preload/base/clock.h"
#include "preload/base/hot_data.h"
#include "preload/base/options.h"
#include "preload/loader/dynamic_symbols.h"
#include "preload/python/python_runtime.h"
#include "preload/stack/modules.h"
#include "preload/unwind/stack_reader.h"
#include "preload/writer/lane.h"

namespace memtrace::preload {

Autograd autograd;
MEMTRACE_HOT_DATA std::atomic<AutogradState> autograd_state_word{AutogradState::none};

namespace {

// Engine::evaluate_function(shared_ptr<GraphTask>&, Node*, InputBuffer&,
// const shared_ptr<ReadyQueue>&): the same in PyTorch 1.6 to 2.13.
constexpr const char* engine_name =
    "_ZN5torch8autograd6Engine17evaluate_functionERSt10shared_ptrINS0_9GraphTaskEEPNS0_4NodeE"
    "RNS0_11InputBufferERKS2_INS0_10ReadyQueueEE";
constexpr const char* get_current_node_name = "_ZN5torch8autograd16get_current_nodeEv";

constexpr uint32_t nodes_wanted = 3;
std::atomic<uint32_t> nodes_seen{0};
std::atomic<uint64_t> node_seen_last{0};
std::atomic<const char*> why_off{nullptr};
std::atomic<bool> is_adopting{false};

bool is_in_library(uint64_t address) { return address >= autograd.begin && address < autograd.end; }

void write_why(Lane& lane, const char* why) {
    FixedText<300> text(
        "memory that autograd allocates backward is not joined with the line that "
        "went forward: ");
    text << why << '.';
    Note note;
    note.time = lane.stamp(ticks_now());
    note.subject = "autograd";
    note.text = text.view();
    lane.put_long(note);
}

void switch_off(Lane& lane, const char* why) {
    why_off.store(why, std::memory_order_relaxed);
    if (autograd_state_word.exchange(AutogradState::off) != AutogradState::off) {
        write_why(lane, why);
    }
}

void write_engine(Lane& lane, uint32_t module) {
    AutogradEngine record;
    record.time = lane.stamp(ticks_now());
    record.module = module;
    record.begin = autograd.engine_begin;
    record.end = autograd.engine_end;
    lane.put_long(record);
    lane.secure();
}

bool is_node(Lane& lane, uint64_t node) {
    if ((node & 7) != 0 || !is_readable(node)) return false;
    const uint64_t type = word_at(node);
    if ((type & 7) != 0 || !is_readable(type)) return false;
    // Its class and the class's first function are in the file of some library.
    return find_module(lane, type) != no_module && find_module(lane, word_at(type)) != no_module;
}

}  // namespace

uint64_t find_accessor(const uint8_t* code) {
    constexpr unsigned bytes_max = 32;
    for (unsigned i = 0; i + 6 <= bytes_max; ++i) {
        // Also stops where these bytes are part of another instruction: no word is better than a
        // wrong one.
        constexpr uint8_t ret = 0xc3, call = 0xe8;
        if (code[i] == ret || code[i] == call) return 0;
        if (code[i] != 0xff || code[i + 1] != 0x15) continue;  // call *distance(%rip)
        int32_t distance;
        std::memcpy(&distance, code + i + 2, sizeof distance);
        return reinterpret_cast<uint64_t>(code + i + 6) + static_cast<uint64_t>(int64_t{distance});
    }
    return 0;
}

void look_for_autograd(Lane& lane, uint32_t module, const dl_phdr_info& library, uint64_t begin,
                       uint64_t end) {
    if (!options.python) return;
    const DynamicSymbols symbols(library);
    AutogradSymbols found;
    const ElfW(Sym)* const engine = symbols.find_symbol(engine_name);
    if (engine == nullptr) return;
    found.engine = library.dlpi_addr + engine->st_value;
    found.engine_bytes = engine->st_size;
    found.get_current_node = reinterpret_cast<uint64_t>(symbols.find(get_current_node_name));
    for (unsigned i = 0; i < library.dlpi_phnum; ++i) {
        const ElfW(Phdr)& header = library.dlpi_phdr[i];
        if (header.p_type != PT_GNU_RELRO) continue;
        found.sealed_begin = library.dlpi_addr + header.p_vaddr;
        found.sealed_end = found.sealed_begin + header.p_memsz;
    }
    adopt_autograd(lane, module, found, begin, end);
}

void adopt_autograd(Lane& lane, uint32_t module, const AutogradSymbols& symbols, uint64_t begin,
                    uint64_t end) {
    if (is_adopting.exchange(true)) {
        if (autograd.engine_begin != symbols.engine) return;
        // A forked child meets the library again, and its dump does not contain the engine yet.
        const char* why = why_off.load(std::memory_order_relaxed);
        return why == nullptr ? write_engine(lane, module) : write_why(lane, why);
    }
    const uint64_t accessor_at =
        symbols.get_current_node == 0
            ? 0
            : find_accessor(reinterpret_cast<const uint8_t*>(symbols.get_current_node));
    autograd = {begin, end, symbols.engine, symbols.engine + symbols.engine_bytes, accessor_at};
    const bool is_sealed = accessor_at >= symbols.sealed_begin && accessor_at < symbols.sealed_end;
    const bool is_variable = is_in_library(accessor_at) && accessor_at % 8 == 0 && !is_sealed;
    if (symbols.get_current_node == 0) {
        switch_off(lane, "this PyTorch does not say which node runs");
    } else if (symbols.engine_bytes == 0 || !is_variable) {
        switch_off(lane, "get_current_node() does not look as it is known to");
    } else {
        write_engine(lane, module);
        autograd_state_word.store(AutogradState::validating, std::memory_order_release);
    }
}

uint64_t find_current_node(Lane& lane) {
    const uint64_t accessor = word_at(autograd.accessor_at);
    if (accessor == 0) return 0;
    if (!is_in_library(accessor)) {
        switch_off(lane, "the engine's variable is reached by a function elsewhere");
        return 0;
    }
    const LibraryScope guard;
    const auto at = reinterpret_cast<uint64_t (*)()>(accessor)();
    if (at % 8 == 0 && is_readable(at)) return at;
    switch_off(lane, "the engine's variable cannot be read");
    return 0;
}

uint64_t type_of_node(Lane& lane, uint64_t node) {
    if (autograd_state() == AutogradState::validating) {
        if (!is_node(lane, node)) {
            switch_off(lane, "what should be a node is none");
            return 0;
        }
        if (node_seen_last.exchange(node, std::memory_order_relaxed) == node) return word_at(node);
        AutogradState validating = AutogradState::validating;
        if (nodes_seen.fetch_add(1, std::memory_order_relaxed) + 1 >= nodes_wanted) {
            autograd_state_word.compare_exchange_strong(validating, AutogradState::on);
        }
    }
    return word_at(node);
}

void forget_autograd(uint64_t begin, uint64_t end) {
    if (autograd.engine_begin < begin || autograd.engine_begin >= end) return;
    autograd_state_word.store(AutogradState::none);
    nodes_seen.store(0);
    node_seen_last.store(0);
    why_off.store(nullptr);
    // A thread that has just read the state may still read the other members.
    autograd.engine_begin = autograd.engine_end = 0;
    is_adopting.store(false);
}

}  // namespace memtrace::preload
