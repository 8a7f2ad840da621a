// SPDX-License-Identifier: Apache-2.0
//
// The page of a run, which --html and --open request.
#pragma once

#include <string>
#include <vector>

namespace memtrace::launcher {

// Makes the page of the first of these dumps in `file`, or beside the dump if that is empty, and
// says where it is. With `open`, the browser opens it; its LD_PRELOAD is `preload`. Whatever goes
// wrong is said on standard error, and changes nothing else. There must be a dump.
void make_page(const std::string& file, const std::vector<std::string>& dumps, bool open,
               const std::string& preload);

}  // namespace memtrace::launcher
