// SPDX-License-Identifier: Apache-2.0
//
// A made-up library with an engine: code with the call that matters, the word that it calls
// through, an accessor, a variable, and nodes.
#pragma once

#include <cstdint>
#include <cstring>

#include "preload/stack/autograd.h"
#include "tests/unit/preload/recording/recording.h"

namespace memtrace::test {

inline uint64_t address_of(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

// Its vtable and its functions are in the test's own file.
struct MadeNode {
    virtual ~MadeNode() = default;
    uint64_t content = 0;
};
struct OtherNode : MadeNode {};

inline uint64_t type_of(const MadeNode& node) {
    uint64_t type;
    std::memcpy(&type, static_cast<const void*>(&node), sizeof type);
    return type;
}

class MadeAutograd {
public:
    struct Library {
        alignas(8) uint8_t code[32] = {0x53, 0x48, 0x89, 0xfb, 0xff, 0x15};  // … call *(%rip)
        uint64_t (*accessor)() = MadeAutograd::accessor;
    };
    static uint64_t accessor() { return reinterpret_cast<uint64_t>(&variable_); }
    static constexpr uint64_t engine_bytes = 100;

    MadeAutograd() {
        variable_ = 0;
        const auto distance = static_cast<int32_t>(reinterpret_cast<uint8_t*>(&library_.accessor) -
                                                   (library_.code + 10));
        std::memcpy(library_.code + 6, &distance, sizeof distance);
    }
    ~MadeAutograd() { preload::forget_autograd(0, ~uint64_t{0}); }

    void adopt(preload::Lane& lane) const {
        adopt(lane, {engine(), engine_bytes, address_of(library_.code)});
    }
    // Adopts an engine as if everything up to the highest address were the library.
    void adopt(preload::Lane& lane, const preload::AutogradSymbols& symbols) const {
        preload::adopt_autograd(lane, 7, symbols, 0x1000, uint64_t{1} << 47);
    }

    Library& library() { return library_; }
    uint64_t engine() const { return 0x2000; }
    uint64_t variable() const { return reinterpret_cast<uint64_t>(&variable_); }
    static void run(const MadeNode* node) { variable_ = address_of(node); }

private:
    Library library_;
    static inline uint64_t variable_ = 0;
};

}  // namespace memtrace::test
