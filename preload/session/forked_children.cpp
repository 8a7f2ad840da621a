// SPDX-License-Identifier: Apache-2.0
#include "preload/session/forked_children.h"

#include <atomic>

#include "preload/base/fixed_text.h"
#include "preload/base/options.h"
#include "preload/recording/record.h"

namespace memtrace::preload {
namespace {

// A child has its parent's numbers of the moment of the fork: its own number is the last one.
std::atomic<uint64_t> forks;
bool is_left_out;

bool are_thinned_out() {
    return options.max_dump != 0 && static_cast<Children>(options.children) == Children::same;
}

}  // namespace

bool count_fork() {
    const uint64_t number = forks.fetch_add(1, std::memory_order_relaxed) + 1;
    return are_thinned_out() && number == children_all_recorded + 1;
}

bool is_left_out_child() {
    const uint64_t number = forks.exchange(0, std::memory_order_relaxed);
    is_left_out = is_left_out || (are_thinned_out() && number != 0 && !is_child_recorded(number));
    return is_left_out;
}

void note_children_left_out() {
    FixedText<300> text("Of the children that the program forks the first ");
    text << children_all_recorded << " are recorded, then every second, from the "
         << children_all_recorded * 2
         << "th on every fourth, and so on, because dumps must stay small (max_dump). "
            "children=all records all of them.";
    record_note("children", text.view());
}

}  // namespace memtrace::preload
