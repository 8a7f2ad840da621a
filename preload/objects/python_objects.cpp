// SPDX-License-Identifier: Apache-2.0
#include "preload/objects/python_objects.h"

#include <atomic>
#include <cstddef>
#include <cstring>

#include "preload/base/fixed_text.h"
#include "preload/base/log.h"
#include "preload/base/options.h"
#include "preload/base/recording_state.h"
#include "preload/python/python_arenas.h"
#include "preload/python/python_invalidation.h"
#include "preload/python/python_runtime.h"
#include "preload/recording/block_sample.h"
#include "preload/recording/left_out_blocks.h"
#include "preload/recording/object_call.h"
#include "preload/recording/record.h"

namespace memtrace::preload {
namespace {

// PyMemAllocatorEx, as the interpreter's documentation declares it.
struct Allocator {
    void* context;
    void* (*malloc)(void* context, size_t size);
    void* (*calloc)(void* context, size_t count, size_t size);
    void* (*realloc)(void* context, void* object, size_t size);
    void (*free)(void* context, void* object);
};

// PyMemAllocatorDomain; 0 is raw memory.
enum Domain : int { mem = 1, obj = 2 };
constexpr unsigned domains = 3;
constexpr uint32_t layers_max = 4;

Allocator underneath[domains][layers_max];
uint32_t layers[domains];                    // number of the shim's layers
decltype(Allocator::malloc) known[domains];  // a foreign function that calls the shim's
bool is_sampling;                            // from the first object on
BlockSample sample;
constinit LeftOutBlocks left_out;  // since the recording has turned to a sample

// True if every object was recorded until the recording turned to a sample (option max_dump).
bool has_turned() { return !is_sampling && heap_mode() == HeapMode::turned; }

// Returns the level at which the object is chosen, 0 if it is not.
unsigned sample_takes(uint64_t size) {
    return sample.takes(thread_state.to_sample, thread_state.object_level, size);
}

// The state that the dump must report and does not contain yet.
std::atomic<PythonObjectsState> state{PythonObjectsState::off};
std::atomic<const char*> why{""};
std::atomic<bool> is_noted{true};

void note_state() {
    is_noted.store(true);
    const char* const text = why.load();
    record_python_objects(state.load(), is_sampling ? options.python_sample : 0,
                          Text(text, std::strlen(text)));
}

uint64_t number_of(const void* object) { return reinterpret_cast<uint64_t>(object); }

// ---- functions that replace the interpreter's --------------------------------------------------

// True if a layer above this one has already been called. That layer records the call.
bool is_recorded_above(uint32_t layer) {
    ObjectCall* const call = thread_state.object_call;
    if (call == nullptr || call->layer() <= layer) [[likely]]
        return false;
    call->note_reached();
    return true;
}

// `level`: the one at which a sample has chosen the object.
[[gnu::always_inline]] inline void take(Api api, const void* object, size_t size, const void* frame,
                                        unsigned level) {
    if (has_turned()) [[unlikely]] {
        level = sample_takes(size);
        if (level == 0) return left_out.add(number_of(object));
        left_out.remove(number_of(object));
    }
    if (!is_noted.load(std::memory_order_relaxed)) [[unlikely]]
        note_state();
    if (is_sampling && !sample.add(number_of(object))) [[unlikely]] {
        count_lost_event();
        return;
    }
    record_object_acquire(api, object, size, frame, level);
}

void put_release(ObjectCall& call) {
    const Release* const release = call.take_release();
    if (release == nullptr) return;
    if (!is_noted.load(std::memory_order_relaxed)) [[unlikely]]
        note_state();
    record_object_release(*release);
}

Release release_of(Api api, const void* object) {
    return {moment_of_release(), api, number_of(object)};
}

// True if the end of this object must be recorded.
bool is_recorded(const void* object) {
    if (is_sampling) return sample.may_have(number_of(object)) && sample.has(number_of(object));
    return !has_turned() || !left_out.has(number_of(object));
}

// The same, and it ends.
bool was_recorded(const void* object) {
    if (is_sampling) return sample.may_have(number_of(object)) && sample.remove(number_of(object));
    return !has_turned() || !left_out.remove(number_of(object));
}

template <Domain domain>
inline constexpr Api apis[4] = {Api::PyObject_Malloc, Api::PyObject_Calloc, Api::PyObject_Realloc,
                                Api::PyObject_Free};
template <>
inline constexpr Api apis<mem>[4] = {Api::PyMem_Malloc, Api::PyMem_Calloc, Api::PyMem_Realloc,
                                     Api::PyMem_Free};

template <Domain domain, uint32_t layer>
struct Ours {
    static const Allocator& next() { return underneath[domain][layer]; }

    // The first thing that each function asks: a process that sleeps pays for nothing else.
    static void* malloc(void* context, size_t size) {
        if (is_asleep()) return next().malloc(context, size);
        if (is_recorded_above(layer)) return next().malloc(context, size);
        const unsigned level = is_sampling ? sample_takes(size) : 0;
        if (is_sampling && level == 0) return next().malloc(context, size);
        ObjectCall call(layer);
        void* const object = next().malloc(context, size);
        if (object != nullptr && !call.is_of_malloc(object)) {
            take(apis<domain>[0], object, size, __builtin_frame_address(0), level);
        }
        return object;
    }

    static void* calloc(void* context, size_t count, size_t size) {
        if (is_asleep()) return next().calloc(context, count, size);
        // If the product overflows, the call fails, and its value does not matter.
        if (is_recorded_above(layer)) return next().calloc(context, count, size);
        const unsigned level = is_sampling ? sample_takes(count * size) : 0;
        if (is_sampling && level == 0) return next().calloc(context, count, size);
        ObjectCall call(layer);
        void* const object = next().calloc(context, count, size);
        if (object != nullptr && !call.is_of_malloc(object)) {
            take(apis<domain>[1], object, count * size, __builtin_frame_address(0), level);
        }
        return object;
    }

    // A resize is a release and an acquisition. malloc may already have recorded either of them.
    static void* realloc(void* context, void* object, size_t size) {
        if (is_asleep()) return next().realloc(context, object, size);
        if (is_recorded_above(layer)) return next().realloc(context, object, size);
        const bool is_released = object != nullptr && is_recorded(object);
        const unsigned level = is_sampling ? sample_takes(size) : 0;
        if (is_sampling && !is_released && level == 0) {
            return next().realloc(context, object, size);
        }
        ObjectCall call(layer);
        if (is_released) call.expect(release_of(apis<domain>[2], object));
        void* const moved = next().realloc(context, object, size);
        if (moved == nullptr) return nullptr;
        if (object != nullptr) was_recorded(object);
        if (is_released) put_release(call);
        if ((level != 0 || !is_sampling) && !call.is_of_malloc(moved)) {
            take(apis<domain>[2], moved, size, __builtin_frame_address(0), level);
        }
        return moved;
    }

    static void free(void* context, void* object) {
        // Most objects are in no event, and the first thing that an interpreter frees when it ends
        // is one of them.
        if (may_end_python()) [[unlikely]]
            note_python_end();
        if (is_asleep()) return next().free(context, object);
        if (object == nullptr || is_recorded_above(layer) || !was_recorded(object)) {
            next().free(context, object);
            return;
        }
        ObjectCall call(layer);
        call.expect(release_of(apis<domain>[3], object));
        next().free(context, object);
        put_release(call);
    }

    static constexpr Allocator table = {nullptr, malloc, calloc, realloc, free};
};

template <Domain domain>
inline constexpr Allocator tables[layers_max] = {Ours<domain, 0>::table, Ours<domain, 1>::table,
                                                 Ours<domain, 2>::table, Ours<domain, 3>::table};

const Allocator& table_of(Domain domain, uint32_t layer) {
    return domain == obj ? tables<obj>[layer] : tables<mem>[layer];
}

// ---- installation ------------------------------------------------------------------------------

void put_in_front(Domain domain) {
    const uint32_t layer = layers[domain]++;
    python.get_allocator(domain, &underneath[domain][layer]);
    Allocator ours = table_of(domain, layer);
    ours.context = underneath[domain][layer].context;
    python.set_allocator(domain, &ours);
}

// Requests an object to find out if a function of the shim is called. An empty object takes no
// place in the arenas because malloc provides it.
bool are_reached(Domain domain) {
    ObjectCall call(layers_max);
    if (domain == obj) python.object_free(python.object_malloc(0));
    else python.mem_free(python.mem_malloc(0));
    return call.is_reached();
}

void switch_off(const char* reason) {
    state.store(PythonObjectsState::off);
    why.store(reason);
    // Inside another event, the state can only be written later.
    if (thread_state.inside == ThreadMode::program) note_state();
    else is_noted.store(false);
    // A sample is the default, and nobody asked for it. The dump has the reason all the same.
    if (is_sampling) return;
    FixedText<160> line("Python's small objects are not recorded: ");
    line << reason;
    say(line.view());
}

void check(Domain domain) {
    if (state.load() == PythonObjectsState::off) return;
    Allocator now = {};
    python.get_allocator(domain, &now);
    if (layers[domain] == 0) {
        put_in_front(domain);
        return;
    }
    if (now.malloc == table_of(domain, layers[domain] - 1).malloc || now.malloc == known[domain]) {
        return;
    }
    if (are_reached(domain)) {
        known[domain] = now.malloc;
        return;
    }
    if (layers[domain] == layers_max) {
        switch_off("others replace the allocator again and again");
        return;
    }
    put_in_front(domain);
    state.store(PythonObjectsState::late);
    why.store("another allocator took the place of the one that was watched");
    note_state();
}

void check_all() {
    static std::atomic<bool> is_busy{false};  // by a thread that holds another interpreter's GIL
    if (python_finalizer() != 0 || is_busy.exchange(true)) return;
    if (!is_noted.load()) note_state();
    check(obj);
    check(mem);
    is_busy.store(false);
}

void begin(bool is_late) {
    find_python_arenas();
    if (static_cast<PythonAllocs>(options.python_allocs) == PythonAllocs::off) return;
    if (python_state() == PythonState::off) return switch_off(python_why());
    if (python.get_allocator == nullptr || python.set_allocator == nullptr ||
        python.object_malloc == nullptr || python.object_free == nullptr ||
        python.mem_malloc == nullptr || python.mem_free == nullptr) {
        return switch_off("the interpreter does not export what its allocators are found by");
    }
    if (!FreedCodes::are_watched()) {
        return switch_off("it could not be seen whether others replace the allocator");
    }
    if (is_sampling && !sample.start(object_levels())) {
        return switch_off("there is no memory for the sample");
    }
    if (!is_sampling && options.max_dump != 0) {
        sample.start_choosing(object_levels());
        left_out.start();
    }
    // The tables of an unloaded interpreter are gone, and the shim's functions with them.
    for (unsigned domain = 0; domain < domains; ++domain) {
        layers[domain] = 0;
        known[domain] = nullptr;
    }
    FreedCodes::call_when_freed(check_all);
    if (is_late) {
        state.store(PythonObjectsState::late);
        why.store("the interpreter was loaded when the program already ran");
        is_noted.store(false);
        return;
    }
    put_in_front(obj);
    put_in_front(mem);
    state.store(PythonObjectsState::whole);
    note_state();
}

}  // namespace

void start_python_objects() {
    const auto mode = static_cast<PythonAllocs>(options.python_allocs);
    is_sampling = mode == PythonAllocs::sample;
    if (mode != PythonAllocs::off && !options.python) return switch_off("that needs python=1");
    call_when_python_is_found(begin);
}

void note_python_objects_are_late() {
    PythonObjectsState whole = PythonObjectsState::whole;
    if (state.compare_exchange_strong(whole, PythonObjectsState::late)) {
        why.store("the recording was off while the program ran");
    }
    // What was to be said during the sleep was not written.
    if (state.load() != PythonObjectsState::off || *why.load() != 0) note_state();
}

void forget_python_object_records() {
    left_out.forget();
    is_noted.store(state.load() == PythonObjectsState::off && *why.load() == 0);
}

}  // namespace memtrace::preload
