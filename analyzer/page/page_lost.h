// SPDX-License-Identifier: Apache-2.0
//
// What a search for lost blocks has found, for a page: the blocks by what points to them, and the
// stacks that acquired those to which nothing does.
#pragma once

#include "analyzer/base/json_text.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/page/page_names.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// null if no search was asked for.
Json page_lost_json(const Recording& recording, const StackView& view, PageNames& names);

}  // namespace memtrace::analyzer
