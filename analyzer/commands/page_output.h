// SPDX-License-Identifier: Apache-2.0
//
// The page of a dump as the output of a command: of `html`, and of `check --html`.
#pragma once

#include <cstddef>
#include <string>

#include "analyzer/commands/request.h"
#include "analyzer/page/page_html.h"
#include "analyzer/replay/load.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// What a page needs of a dump: the history of the whole run.
LoadOptions load_page(const Request& request);

// Returns the request of `html` for the memory that `request` is about. A range is left out,
// because it is chosen in the page.
Request page_request(const Request& request);

// Makes the page of a recording that was loaded with load_page(). Throws Error if this build cannot
// make pages.
Page page_of(const Recording& recording, const Request& request);

// Makes the page and writes it to a file. Returns a sentence about it. Throws Error if there is no
// page or the file cannot be written.
std::string write_page(const Recording& recording, const Request& request, const std::string& path);

// Returns `path` for the first page, and "page-2.html" for the second one of "page.html".
std::string numbered_path(const std::string& path, size_t number);

// Throws Error if the folder of `path`, the value of `option`, is no folder.
void require_folder(const char* option, const std::string& path);

}  // namespace memtrace::analyzer
