// SPDX-License-Identifier: Apache-2.0
#include "tests/unwind/truth/truth.h"
#include "tests/unwind/truth/truth_frames.h"
#include "tests/unwind/truth/truth_stories.h"

namespace truth {
namespace {

Step nothing{truth_nothing};

void begin(const char* story) { current->story = story; }

// One frame calls from two places: the same stack pointer, another pc.
TRUTH_SHAPE void two_calls_in_one_function() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    check();
    check();
    check();
}

// The same call again, but deeper: the same pc, another stack pointer.
TRUTH_SHAPE int recurse(int depth, uint32_t limit) {
    const Call call(__builtin_return_address(0));
    const int below = depth == 0 ? 0 : recurse(depth - 1, limit);
    check(limit);
    return below + depth;
}

TRUTH_SHAPE void the_same_call_deeper() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    recurse(0, depth_max);
    recurse(7, depth_max);
    recurse(3, depth_max);
}

// A stack that was cut at the limit, then a shallower one. Where the first was cut, the second has
// more frames.
TRUTH_SHAPE void shallower_than_the_cut() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    constexpr uint32_t limit = 16;
    recurse(40, limit);
    recurse(10, limit);
    recurse(static_cast<int>(depth_max) + 30, depth_max);
    recurse(5, limit);
}

// For the second see() of a story: what lay on the stack at the first one.
const Step* stale_step = nullptr;

void expect_stale(Step* step) {
    expect(step->frame != nullptr &&
               *stale_step->return_slot == reinterpret_cast<uint64_t>(stale_step->return_address),
           "the old return address does not lie on the stack any more");
}

// Runs two sequences of steps, one after the other, called from two places with the same stack
// pointer.
TRUTH_SHAPE void run_both(Step& sites, Step& first, Step& second) {
    const Call call(__builtin_return_address(0));
    truth_three_sites(&sites, &first, &second, &nothing);
}

// Everything up to the last return address is as before.
TRUTH_SHAPE void one_frame_with_two_callers() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    Step sites;
    Step plain[2] = {{truth_frame_plain}, {truth_frame_plain}};
    Step seen[2] = {{see}, {see}};
    link({&sites, &plain[0], &seen[0]});
    link({&sites, &plain[1], &seen[1]});
    run_both(sites, plain[0], plain[1]);
    expect(seen[0].frame == seen[1].frame, "the two frames are not at one place");
}

// The first sequence has one plain frame (16 bytes) more. The alloca of the second makes up for
// that, and the first's return address lies in it, unwritten (docs/how/unwinding.md).
TRUTH_SHAPE void stale_return_address_in_alloca() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    Step sites;
    Step plain{truth_frame_plain};
    Step room[2] = {{truth_frame_alloca, 48}, {truth_frame_alloca, 48 + 16}};
    Step seen[2] = {{see}, {see}};
    stale_step = &room[0];
    seen[1].before = expect_stale;
    link({&sites, &plain, &room[0], &seen[0]});
    link({&sites, &room[1], &seen[1]});
    run_both(sites, plain, room[1]);
    expect(seen[0].frame == seen[1].frame, "the two frames are not at one place");
    expect(room[0].return_slot != room[1].return_slot, "the two callers are at one place");
}

// The same with a function inside that saves rbp: its state is equal, but not the value that it
// saved.
TRUTH_SHAPE void stale_return_address_below_a_saved_rbp() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    Step sites;
    Step plain{truth_frame_plain};
    Step room[2] = {{truth_frame_alloca, 48}, {truth_frame_alloca, 48 + 16}};
    Step inner[2] = {{truth_frame_saves_rbp}, {truth_frame_saves_rbp}};
    Step seen[2] = {{see}, {see}};
    stale_step = &room[0];
    seen[1].before = expect_stale;
    link({&sites, &plain, &room[0], &inner[0], &seen[0]});
    link({&sites, &room[1], &inner[1], &seen[1]});
    run_both(sites, plain, room[1]);
    expect(seen[0].frame == seen[1].frame, "the two frames are not at one place");
    expect(room[0].return_slot != room[1].return_slot, "the two callers are at one place");
}

// Two calls from 16 bytes apart, and the same frame after its stack has been realigned. rsp and rbp
// are equal; only the way back that it keeps in memory differs.
TRUTH_SHAPE void stale_return_address_above_a_realigned_frame() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    Step sites;
    Step plain{truth_frame_plain};
    Step aligned[2] = {{truth_frame_realigned}, {truth_frame_realigned}};
    Step seen[2] = {{see}, {see}};
    stale_step = &aligned[0];
    seen[1].before = expect_stale;
    link({&sites, &plain, &aligned[0], &seen[0]});
    link({&sites, &aligned[1], &seen[1]});
    run_both(sites, plain, aligned[1]);
    expect(seen[0].frame == seen[1].frame, "the two frames are not at one place");
    expect(aligned[0].return_slot != aligned[1].return_slot, "the two callers are at one place");
}

// No frame outside the first sequence needs the rbp that its inner function saved, so it is not
// compared. The second has another caller, found only through the word that lies there now.
TRUTH_SHAPE void rbp_that_was_not_needed_before() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    Step sites;
    Step outer[2] = {{truth_frame_saves_rbp}, {truth_frame_alloca, 0}};
    Step plain[2] = {{truth_frame_plain}, {truth_frame_plain}};
    Step inner[2] = {{truth_frame_saves_rbp}, {truth_frame_saves_rbp}};
    Step seen[2] = {{see}, {see}};
    link({&sites, &outer[0], &plain[0], &inner[0], &seen[0]});
    link({&sites, &outer[1], &plain[1], &inner[1], &seen[1]});
    run_both(sites, outer[0], outer[1]);
    expect(seen[0].frame == seen[1].frame, "the two frames are not at one place");
    expect(plain[0].return_address != plain[1].return_address, "it is the same caller");
}

// A frame that no short rule describes has no words to compare, so it may not be trusted either.
TRUTH_SHAPE void frame_found_through_rbx() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    Step sites;
    Step wide[2] = {{truth_frame_rbx, 32}, {truth_frame_rbx, 32}};
    Step seen[2] = {{see}, {see}};
    link({&sites, &wide[0], &seen[0]});
    link({&sites, &wide[1], &seen[1]});
    run_both(sites, wide[0], wide[1]);
    expect(seen[0].frame == seen[1].frame, "the two frames are not at one place");
}

// The alloca story with rbx in place of rbp.
TRUTH_SHAPE void stale_return_address_found_through_rbx() {
    const Call call(__builtin_return_address(0));
    begin(__func__);
    Step sites;
    Step plain{truth_frame_plain};
    Step wide[2] = {{truth_frame_rbx, 32}, {truth_frame_rbx, 32 + 16}};
    Step seen[2] = {{see}, {see}};
    stale_step = &wide[0];
    seen[1].before = expect_stale;
    link({&sites, &plain, &wide[0], &seen[0]});
    link({&sites, &wide[1], &seen[1]});
    run_both(sites, plain, wide[1]);
    expect(seen[0].frame == seen[1].frame, "the two frames are not at one place");
}

}  // namespace

TRUTH_SHAPE void tell_stories_of_the_memo() {
    const Call call(__builtin_return_address(0));
    // Twice: the second time they are in the memo.
    for (int turn = 0; turn < 2; ++turn) {
        two_calls_in_one_function();
        the_same_call_deeper();
        shallower_than_the_cut();
        one_frame_with_two_callers();
        stale_return_address_in_alloca();
        stale_return_address_below_a_saved_rbp();
        stale_return_address_above_a_realigned_frame();
        rbp_that_was_not_needed_before();
        frame_found_through_rbx();
        stale_return_address_found_through_rbx();
    }
}

}  // namespace truth
