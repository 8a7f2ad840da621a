// SPDX-License-Identifier: Apache-2.0
//
// Where a call would have gone that reached us because we are preloaded, if its function is in a
// library that RTLD_NEXT does not search: Python loads extension modules, and all that they need,
// so that only they see the names in them. So it is looked for from the caller's side.
//
//   * Only behind ourselves, in the order of loading: nothing ever comes back to us, and two hooks
//     of one name do not pass a call to each other forever.
//   * What was there from the start (preloaded behind us, linked to the program) is in the global
//     scope, and comes first, as it would for the loader. Then what the caller itself needs by
//     name, so that two copies of a library keep their users. Then the first that was loaded.
//   * dlsym is not asked: it waits for the lock that a dlopen holds while it runs constructors,
//     and such a constructor may be waiting for what our caller holds.
//   * What was found is remembered for each object that calls; a later call costs a few loads.
//     dlclose makes us forget (hooks_loader.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

class NextDefinition {
public:
    explicit constexpr NextDefinition(const char* name) : name_(name) {}

    // The function that the call would have reached that returns to `caller`. nullptr: there is
    // none; the caller has a weak reference, or found us by dlsym.
    void* find(const void* caller) {
        const auto address = reinterpret_cast<uint64_t>(caller);
        for (const Caller& known : callers_) {
            void* found;
            if (known.holds(address, found)) [[likely]]
                return found;
        }
        return search(caller);
    }

    // A library may be gone.
    static void forget_all() { generation_.fetch_add(1, std::memory_order_acq_rel); }

private:
    // One object that calls. `version` is odd while it is being written, and changes each time.
    struct Caller {
        std::atomic<uint32_t> version{0};
        std::atomic<uint32_t> generation{0};  // another one is void
        std::atomic<uint64_t> begin{0};
        std::atomic<uint64_t> end{0};
        std::atomic<void*> found{nullptr};

        bool holds(uint64_t address, void*& result) const {
            // Pairs with the release in write(): whoever sees a new field sees the odd version
            // that came before it, and looks elsewhere.
            const uint32_t before = version.load(std::memory_order_acquire);
            const uint64_t first = begin.load(std::memory_order_acquire);
            const uint64_t behind = end.load(std::memory_order_acquire);
            result = found.load(std::memory_order_acquire);
            return address >= first && address < behind && is_valid() && before % 2 == 0 &&
                   version.load(std::memory_order_relaxed) == before;
        }

        bool is_valid() const {
            return generation.load(std::memory_order_acquire) ==
                   generation_.load(std::memory_order_acquire);
        }

        // Does nothing where somebody else is writing.
        void write(uint32_t of_generation, uint64_t first, uint64_t behind, void* result);
    };
    static constexpr unsigned callers_max = 8;

    void* search(const void* caller);

    static std::atomic<uint32_t> generation_;  // never 0

    const char* name_;
    Caller callers_[callers_max];
    std::atomic<uint32_t> next_{0};  // whose turn it is when all are in use
};

}  // namespace memtrace::preload
