// SPDX-License-Identifier: Apache-2.0
#include "preload/nvtx/nvtx_calls.h"

#include <dlfcn.h>
#include <link.h>

#include <atomic>

#include "preload/base/options.h"
#include "preload/loader/loaded_object.h"
#include "preload/nvtx/nvtx_names.h"
#include "preload/nvtx/nvtx_text.h"
#include "preload/recording/record.h"

namespace memtrace::preload::nvtx {
namespace {

constexpr unsigned attached_max = 64;
constexpr uint64_t own_range_begin = uint64_t{0x6d74} << 48;

// The code of a library that calls the shim. `begin` is stored last; 0 marks a free place.
struct Attached {
    std::atomic<uintptr_t> begin;
    std::atomic<uintptr_t> end;
};
constinit Attached attached[attached_max];
std::atomic<uint64_t> ranges{0};

void record(MarkKind kind, MarkScope scope, const Domain* domain, Text text, RangeId range = 0) {
    if (!options.nvtx) return;
    Mark mark;
    mark.kind = kind;
    mark.scope = scope;
    mark.source = MarkSource::nvtx;
    mark.domain = names.name_of(domain);
    mark.text = text;
    mark.range = range;
    record_mark(mark);
}

template <class Said>
void mark(const Domain* domain, Said said) {
    record(MarkKind::mark, MarkScope::process, domain, Message(said).view());
}

template <class Said>
int push(const Domain* domain, Said said) {
    record(MarkKind::begin, MarkScope::thread, domain, Message(said).view());
    return no_tracking;
}

int pop(const Domain* domain) {
    record(MarkKind::end, MarkScope::thread, domain, {});
    return no_tracking;
}

template <class Said>
RangeId start(const Domain* domain, Said said) {
    const RangeId range = own_range_begin + ranges.fetch_add(1, std::memory_order_relaxed) + 1;
    record(MarkKind::begin, MarkScope::process, domain, Message(said).view(), range);
    return range;
}

void end(const Domain* domain, RangeId range) {
    record(MarkKind::end, MarkScope::process, domain, {}, range);
}

template <class Handle, class Said>
Handle* name(Said said) {
    return static_cast<Handle*>(const_cast<void*>(names.add(Message(said).view())));
}

// The tables hold untyped pointers.
template <class Function>
void* place_of(Function* function) {
    return reinterpret_cast<void*>(function);
}

}  // namespace

void told_MarkEx(const Attributes* event) { mark(nullptr, event); }
void told_MarkA(const char* message) { mark(nullptr, message); }
void told_MarkW(const wchar_t* message) { mark(nullptr, message); }
RangeId told_RangeStartEx(const Attributes* event) { return start(nullptr, event); }
RangeId told_RangeStartA(const char* message) { return start(nullptr, message); }
RangeId told_RangeStartW(const wchar_t* message) { return start(nullptr, message); }
void told_RangeEnd(RangeId range) { end(nullptr, range); }
int told_RangePushEx(const Attributes* event) { return push(nullptr, event); }
int told_RangePushA(const char* message) { return push(nullptr, message); }
int told_RangePushW(const wchar_t* message) { return push(nullptr, message); }
int told_RangePop() { return pop(nullptr); }
void told_DomainMarkEx(Domain* domain, const Attributes* event) { mark(domain, event); }
RangeId told_DomainRangeStartEx(Domain* domain, const Attributes* event) {
    return start(domain, event);
}
void told_DomainRangeEnd(Domain* domain, RangeId range) { end(domain, range); }
int told_DomainRangePushEx(Domain* domain, const Attributes* event) { return push(domain, event); }
int told_DomainRangePop(Domain* domain) { return pop(domain); }
String* told_DomainRegisterStringA(Domain*, const char* text) { return name<String>(text); }
String* told_DomainRegisterStringW(Domain*, const wchar_t* text) { return name<String>(text); }
Domain* told_DomainCreateA(const char* text) { return name<Domain>(text); }
Domain* told_DomainCreateW(const wchar_t* text) { return name<Domain>(text); }

bool is_own_range(RangeId range) { return range >> 48 == own_range_begin >> 48; }

void record_start(RangeId range, Domain* domain, const Attributes* event) {
    record(MarkKind::begin, MarkScope::process, domain, Message(event).view(), range);
}

bool attach(ExportTable tables) {
    const auto* const callbacks = static_cast<const Callbacks*>(tables(callbacks_table));
    if (callbacks == nullptr || callbacks->size < sizeof(Callbacks)) return false;
    const auto put = [&](Module module, unsigned id, void* function) {
        FunctionTable table = nullptr;
        unsigned size = 0;
        if (callbacks->module_table(module, &table, &size) == 0 || table == nullptr) return;
        if (id < size && table[id] != nullptr) *table[id] = function;
    };
#define MEMTRACE_NVTX(module, id, name, result, parameters, arguments) \
    put(module, id, place_of(&told_##name));
#include "preload/nvtx/nvtx_functions.def"
    dl_find_object library;
    if (!find_loaded_object(reinterpret_cast<void*>(tables), library)) return true;
    for (Attached& place : attached) {
        uintptr_t free = 0;
        const auto begin = reinterpret_cast<uintptr_t>(library.dlfo_map_start);
        if (!place.begin.compare_exchange_strong(free, begin)) continue;
        place.end.store(reinterpret_cast<uintptr_t>(library.dlfo_map_end));
        break;
    }
    return true;
}

bool is_attached(const void* code) {
    const auto address = reinterpret_cast<uintptr_t>(code);
    for (const Attached& place : attached) {
        const uintptr_t begin = place.begin.load(std::memory_order_acquire);
        if (begin != 0 && address >= begin && address < place.end.load()) return true;
    }
    return false;
}

void forget_attached() {
    for (Attached& place : attached) {
        const uintptr_t begin = place.begin.load();
        dl_find_object library;
        if (begin == 0) continue;
        const bool is_there = find_loaded_object(reinterpret_cast<void*>(begin), library) &&
                              reinterpret_cast<uintptr_t>(library.dlfo_map_start) == begin;
        if (is_there) continue;
        place.end.store(0);
        place.begin.store(0);
    }
}

}  // namespace memtrace::preload::nvtx
