// A library that makes code and registers it, for a program that has no C++ runtime of its own. An
// exception passes through the code, from a callback to the function that called it.
#include "made_code.h"
#include "support.h"

namespace {

struct Thrown {
    int value;
};

void throw_it(void* argument) {
    const auto* step = static_cast<const made_step*>(argument);
    throw Thrown{static_cast<int>(step->unused)};
}

}  // namespace

// Throws a value through a made function, `times` times with a new function each time. Returns the
// sum of the values.
extern "C" int thrown_through_made_code(int times) {
    unsigned char* const region = made_region(4096);
    CHECK(region != nullptr);
    unsigned char* const tables = region + made_code_bytes;
    int sum = 0;
    for (int i = 0; i < times; ++i) {
        const made_saves saves = i % 2 == 0 ? made_saves_rbx : made_saves_rbp;
        const uint32_t frame_bytes = 16u * (1 + static_cast<uint32_t>(i) % 20);
        make_code(region, saves, frame_bytes);
        make_tables(tables, region, saves, frame_bytes);
        __register_frame(tables);
        made_step inner{throw_it, static_cast<uint64_t>(i), nullptr, nullptr, nullptr, nullptr};
        made_step outer{made_function(region), 0, &inner, nullptr, nullptr, nullptr};
        try {
            outer.run(&outer);
        } catch (const Thrown& thrown) {
            sum += thrown.value;
        }
        __deregister_frame(tables);
    }
    CHECK(munmap(region, 4096) == 0);
    return sum;
}
