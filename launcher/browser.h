// SPDX-License-Identifier: Apache-2.0
//
// Opens a file in the user's browser, by xdg-open, which knows the browser of the desktop.
#pragma once

#include <string>

namespace memtrace::launcher {

// Opens the file at this absolute path. The browser's LD_PRELOAD is `preload`. Returns the
// beginning of a sentence about what prevents it, or an empty string. Does not wait for the
// browser's end.
std::string open_in_browser(const std::string& path, const std::string& preload);

}  // namespace memtrace::launcher
