// SPDX-License-Identifier: Apache-2.0
//
// The course of what each space held, for a page: the least and the most in each slice of time, as
// the timeline of the terminal has them. These slices are finer than those of the histories, and
// of equal width. What a space held between the borders of the histories is known in no other way.
// The largest blocks of each time are known one by one.
#pragma once

#include "analyzer/base/json_text.h"
#include "analyzer/model/model.h"
#include "analyzer/model/run_watch.h"
#include "analyzer/page/page_stacks.h"

namespace memtrace::analyzer {

// Returns what was watched of a space; nullptr: nothing was.
const SpaceWatch* watch_of(const Model& model, const Space& space);

// Returns the begin of the first slice and the ends of all, each as a difference from the one
// before it. Empty: the model was not loaded with WatchRequest::curves.
Json course_ends_json(const Model& model);

// Returns the bytes of a space by slice, each as a difference from the slice before it: {"lowest":
// […], "highest": […]}; null if they are not known.
Json course_json(const Model& model, const Space& space);

// Returns the largest blocks of a space by their begin, at most `most` of them: {"site": […],
// "begin": […] (microseconds, each as a difference from the one before it), "life": […]
// (microseconds; -1: alive at the end), "bytes": […]}; null if they are not known.
Json blocks_json(const Model& model, const Space& space, const PageSpace& page, size_t most);

}  // namespace memtrace::analyzer
