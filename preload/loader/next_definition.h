// SPDX-License-Identifier: Apache-2.0
//
// Finds where a call would have gone without the shim. This serves functions in libraries that
// RTLD_NEXT does not search: Python loads extension modules and all their dependencies so that only
// they see each other's names. So the search starts from the caller.
//
//   * It covers only objects behind the shim, in the order of loading. So no call ever comes back
//     to the shim, and two hooks with one name do not pass a call to each other forever.
//   * Objects present from the start (preloaded behind the shim, linked to the program) are in the
//     global scope and come first, as for the loader. Then come libraries that the caller itself
//     needs by name, so that two copies of a library keep their users. Then comes the first that
//     was loaded.
//   * dlsym is not used. It waits for the lock that a dlopen holds while it runs constructors, and
//     such a constructor may wait for a lock of this caller.
//   * The result is remembered for each calling object, so a later call costs a few loads. dlclose
//     clears the results (hooks_loader.cpp).
#pragma once

#include <atomic>
#include <cstdint>

namespace memtrace::preload {

class NextDefinition {
public:
    explicit constexpr NextDefinition(const char* name) : name_(name) {}

    // Returns the function that the call returning to `caller` would have reached. nullptr if there
    // is none: the caller has a weak reference, or found the hook by dlsym.
    void* find(const void* caller) {
        const auto address = reinterpret_cast<uint64_t>(caller);
        for (const Caller& known : callers_) {
            void* found;
            if (known.holds(address, found)) [[likely]]
                return found;
        }
        return search(caller);
    }

    // Called because a library may be gone.
    static void forget_all() { generation_.fetch_add(1, std::memory_order_acq_rel); }

private:
    // One calling object. `version` is odd while the entry is being written, and changes each time.
    struct Caller {
        std::atomic<uint32_t> version{0};
        std::atomic<uint32_t> generation{0};  // void if it differs from the current one
        std::atomic<uint64_t> begin{0};
        std::atomic<uint64_t> end{0};
        std::atomic<void*> found{nullptr};

        bool holds(uint64_t address, void*& result) const {
            // Pairs with the release in write(). A thread that sees a new field also sees the odd
            // version from before it, and looks elsewhere.
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

        // Does nothing if another thread is writing.
        void write(uint32_t of_generation, uint64_t first, uint64_t behind, void* result);
    };
    static constexpr unsigned callers_max = 8;

    void* search(const void* caller);

    static std::atomic<uint32_t> generation_;  // never 0

    const char* name_;
    Caller callers_[callers_max];
    std::atomic<uint32_t> next_{0};  // the entry to replace next when all are in use
};

}  // namespace memtrace::preload
