// SPDX-License-Identifier: Apache-2.0
//
// Small programs, each made to deceive a memo with fewer checks than the shim's. Most of them bring
// two different stacks to the same place, with the first one's words still lying in the second.
#pragma once

namespace truth {

// truth_stories_memo.cpp: how a remembered frame is recognised.
void tell_stories_of_the_memo();
// truth_stories_code.cpp: code that is unloaded, and other code at its address.
void tell_stories_of_code();
// truth_stories_jit.cpp: code that is made at run time.
void tell_stories_of_made_code();
// truth_stories_slices.cpp: parts of a stack that are copied away and back.
void tell_stories_of_slices();
// truth_stories_signal.cpp: signal frames, and stacks that go away.
void tell_stories_of_signals();

}  // namespace truth
