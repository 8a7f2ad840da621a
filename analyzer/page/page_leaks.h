// SPDX-License-Identifier: Apache-2.0
//
// What `growth` found, for a page: each finding with its two curves, memory held and survivors, by
// which a person can see why it is a leak and not a cache (growth_judge.h).
#pragma once

#include "analyzer/base/json_text.h"
#include "analyzer/growth/growth.h"
#include "analyzer/page/page_names.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

Json page_leaks_json(const Recording& recording, const Growth& growth, PageNames& names);

}  // namespace memtrace::analyzer
