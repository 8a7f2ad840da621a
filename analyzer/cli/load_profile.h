// SPDX-License-Identifier: Apache-2.0
//
// A profile in place of a dump. It has all phases and the slices of the run, but no events, so a
// report that needs events is refused.
#pragma once

#include <string>

#include "analyzer/commands/request.h"
#include "analyzer/replay/load.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Loads what the request's command needs of the profile. Throws Error if it is not in there.
Recording load_profile(const std::string& path, const Request& request);

// For a recording that has what a profile has: leaves out what the same command would not load of a
// dump. Throws Error, with the path, if something that the command needs is not in it.
void limit_to_profile(const std::string& path, Recording& profile, const Request& request,
                      const LoadOptions& options);

}  // namespace memtrace::analyzer
