// SPDX-License-Identifier: Apache-2.0
//
// A profile in place of a dump. It has all phases and the slices of the run, but no events, so a
// report that needs events is refused.
#pragma once

#include <string>

#include "analyzer/commands/request.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Loads what the request's command needs of the profile. Throws Error if it is not in there.
Recording load_profile(const std::string& path, const Request& request);

}  // namespace memtrace::analyzer
