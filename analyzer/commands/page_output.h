// SPDX-License-Identifier: Apache-2.0
//
// The page of a dump as the output of a command: of `html`, and of `check --html`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "analyzer/commands/option_list.h"
#include "analyzer/commands/request.h"
#include "analyzer/page/page_html.h"
#include "analyzer/replay/load.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// Adds the options that say what others may see.
void add_page_options(OptionList& options, Request& request);

// For a command whose page is the file of --html: finishes the options of the page. Throws Error if
// they make no sense, or are there without a page.
void read_page_options(Request& request);

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

// How many call stacks a page has, and how many of them end at a caller.
struct PageStackCounts {
    uint64_t all = 0;
    uint64_t folded = 0;
};

// Writes the file of a page. Returns a sentence about it.
std::string write_page_file(const std::string& path, const std::string& html,
                            const PageOptions& options, PageStackCounts stacks);

// Returns `path` for the first page, and "page-2.html" for the second one of "page.html".
std::string numbered_path(const std::string& path, size_t number);

// Throws Error if the folder of `path`, the value of `option`, is no folder.
void require_folder(const char* option, const std::string& path);

}  // namespace memtrace::analyzer
