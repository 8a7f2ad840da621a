// SPDX-License-Identifier: Apache-2.0
//
// Reduces a recording to the sites that pass all filters.
//
//   the whole space           peak 40.1 MiB of 9000 sites
//   --own --thread loader*    12.3 MiB of 800 sites: what they held when the whole space peaked
//
// The totals of a space become the sums over the sites that stay. Its own_peak_bytes become what
// they held together at the peak of the whole space. Sites keep their own figures, including their
// own peak. How the recording was made (events, coverage, threads, problems) stays that of the
// whole.
//
// The classes of a space (Space::classes) cannot be divided by site, so they are removed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// By the name of a space and the index of a site in it: true if the site passes.
using PassingSites = std::map<std::string, std::vector<bool>>;

// Threads must have been chosen when the dump was loaded (LoadOptions::threads).
PassingSites find_passing(const Recording& recording, const SiteFilters& filters);

// Removes all other sites.
void apply(Recording& recording, const SiteFilters& filters, const PassingSites& passing);

// Does both. Does nothing if there are no filters.
void apply(Recording& recording, const SiteFilters& filters);

}  // namespace memtrace::analyzer
