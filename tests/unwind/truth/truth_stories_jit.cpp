// SPDX-License-Identifier: Apache-2.0
//
// Code that is made at run time, with tables that are registered for it, and without.
#include <atomic>
#include <thread>
#include <vector>

#include "preload/unwind/registered_frames.h"
#include "preload/unwind/rule_cache.h"
#include "tests/programs/made_code.h"
#include "tests/unwind/truth/truth.h"
#include "tests/unwind/truth/truth_frames.h"
#include "tests/unwind/truth/truth_stories.h"

namespace truth {
namespace {

constexpr size_t region_bytes = 1 << 20;
constexpr size_t room_of_a_function = made_code_bytes + made_tables_bytes;

// A function at some place, and its tables behind it.
struct Made {
    unsigned char* code = nullptr;
    unsigned char* tables() const { return code + made_code_bytes; }
    void (*run() const)(Step*) { return reinterpret_cast<void (*)(Step*)>(made_function(code)); }
};

Made make(unsigned char* place, made_saves saves, uint32_t frame_bytes) {
    const Made made{place};
    make_code(place, saves, frame_bytes);
    make_tables(made.tables(), place, saves, frame_bytes);
    return made;
}

// What the shim's hooks do.
void add_tables(const void* tables) {
    preload::add_registered_frames(tables, tables, true, preload::forget_unwind_rules);
}
void remove_tables(const void* tables) {
    preload::remove_registered_frames(tables, preload::forget_unwind_rules);
}
void add(const Made& made) { add_tables(made.tables()); }
void remove(const Made& made) { remove_tables(made.tables()); }

TRUTH_SHAPE void call(std::initializer_list<Step*> steps) {
    const Call self(__builtin_return_address(0));
    Step sites;
    static Step nothing{truth_nothing};
    Step* outer = &sites;
    for (Step* step : steps) {
        step->outer = outer;
        outer->next = step;
        outer = step;
    }
    truth_three_sites(&sites, *steps.begin(), &nothing, &nothing);
}

// Two made functions between functions of this program; one of them uses rbp for something else.
TRUTH_SHAPE void made_code_calls_back(unsigned char* region) {
    const Call self(__builtin_return_address(0));
    current->story = __func__;
    const Made outer = make(region, made_saves_rbp, 208);
    const Made inner = make(region + room_of_a_function, made_saves_rbx, 16);
    add(outer);
    add(inner);
    Step steps[3] = {{outer.run()}, {inner.run()}, {see}};
    for (int turn = 0; turn < 3; ++turn) call({&steps[0], &steps[1], &steps[2]});
    remove(inner);
    remove(outer);
}

// The frame of the small one, 32 bytes, and a plain one of the program, 16 bytes, are as large as
// that of the large one, which is put into the small one's place: its call comes from the same
// address with the same stack pointer.
TRUTH_SHAPE void other_code_is_made_at_the_same_address(unsigned char* region) {
    const Call self(__builtin_return_address(0));
    current->story = __func__;
    const Made small = make(region, made_saves_rbx, 16);
    add(small);
    Step plain{truth_frame_plain};
    Step first[2] = {{small.run()}, {see}};
    call({&plain, &first[0], &first[1]});
    remove(small);
    const Made large = make(region, made_saves_rbx, 32);
    add(large);
    Step second[2] = {{large.run()}, {see}};
    call({&second[0], &second[1]});
    expect(first[1].frame == second[1].frame, "the two frames are not at one place");
    expect(first[1].return_address == second[1].return_address, "they are called from elsewhere");
    remove(large);
}

// The same, but the first tables are not removed: the ones that came last are right.
TRUTH_SHAPE void tables_are_registered_over_others(unsigned char* region) {
    const Call self(__builtin_return_address(0));
    current->story = __func__;
    const Made small = make(region, made_saves_rbx, 16);
    add(small);
    Step first[2] = {{small.run()}, {see}};
    call({&first[0], &first[1]});
    make_code(region, made_saves_rbp, 512);
    unsigned char* const tables = region + 2 * room_of_a_function;
    make_tables(tables, region, made_saves_rbp, 512);
    add_tables(tables);
    call({&first[0], &first[1]});
    remove_tables(tables);
    remove(small);
}

// The walk is the truth as far as it goes, or it marks where it begins to guess.
void expect_true_or_marked(Step* step) {
    const auto address = [](const void* place) { return reinterpret_cast<uint64_t>(place); };
    current->fresh.forget_thread();
    const preload::StackMemo& walked = *current->fresh.walk(__builtin_frame_address(0), depth_max);
    const auto frame = [&](uint32_t i) { return walked.frames[walked.length - 1 - i]; };
    expect(walked.length >= 2, "it ends in front of the unknown code");
    expect(frame(0).pc == address(__builtin_return_address(0)) &&
               frame(0).kind == memtrace::NodeKind::native &&
               frame(1).pc == address(step->outer->return_address),
           "what is known is not the truth");
    const bool is_cut = walked.length == 2 && walked.end == preload::StackEnd::no_data;
    expect(is_cut || frame(1).kind == memtrace::NodeKind::guessed, "it is neither cut nor marked");
}

TRUTH_SHAPE void nobody_registers_made_code(unsigned char* region) {
    const Call self(__builtin_return_address(0));
    current->story = __func__;
    for (const made_saves saves : {made_saves_rbx, made_saves_rbp}) {
        const Made bare = make(region, saves, 64);
        Step steps[3] = {{bare.run()}, {truth_frame_plain}, {expect_true_or_marked}};
        call({&steps[0], &steps[1], &steps[2]});
    }
}

std::atomic<bool> stop{false};

// Registers and removes one table for each of many functions, and runs each function.
void make_many(unsigned char* region, unsigned seed) {
    begin_thread("thousands_of_tables_on_two_threads", seed);
    constexpr unsigned count = region_bytes / room_of_a_function;
    std::vector<Made> made(count);
    for (unsigned turn = 0; turn < 3; ++turn) {
        for (unsigned i = 0; i < count; ++i) {
            const auto saves = (i + turn) % 2 == 0 ? made_saves_rbx : made_saves_rbp;
            made[i] = make(region + i * room_of_a_function, saves, 16 * (1 + (i + turn) % 9));
            add(made[i]);
            if (i % 16 != 0) continue;
            Step steps[3] = {{made[i].run()}, {made[(i * 7 + 1) % (i + 1)].run()}, {see}};
            call({&steps[0], &steps[1], &steps[2]});
        }
        for (unsigned i = 0; i < count; ++i) remove(made[i]);
    }
}

void run_while_others_register(unsigned char* region) {
    begin_thread("captures_while_others_register", 0);
    const Made outer = make(region, made_saves_rbp, 208);
    const Made inner = make(region + room_of_a_function, made_saves_rbx, 16);
    add(outer);
    add(inner);
    Step steps[3] = {{outer.run()}, {inner.run()}, {see}};
    while (!stop.load()) call({&steps[0], &steps[1], &steps[2]});
    remove(inner);
    remove(outer);
}

TRUTH_SHAPE void thousands_of_tables_on_two_threads() {
    const Call self(__builtin_return_address(0));
    current->story = __func__;
    unsigned char* regions[3];
    for (unsigned char*& region : regions) region = made_region(region_bytes);
    stop = false;
    std::thread first(make_many, regions[0], 1);
    std::thread second(make_many, regions[1], 2);
    std::thread third(run_while_others_register, regions[2]);
    first.join();
    second.join();
    stop = true;
    third.join();
    for (unsigned char* region : regions) munmap(region, region_bytes);
}

}  // namespace

TRUTH_SHAPE void tell_stories_of_made_code() {
    const Call self(__builtin_return_address(0));
    unsigned char* const region = made_region(region_bytes);
    expect(region != nullptr, "there is no memory for code");
    if (region == nullptr) return;
    for (int turn = 0; turn < 2; ++turn) {
        made_code_calls_back(region);
        other_code_is_made_at_the_same_address(region);
        tables_are_registered_over_others(region);
        nobody_registers_made_code(region);
    }
    thousands_of_tables_on_two_threads();
    munmap(region, region_bytes);
}

}  // namespace truth
