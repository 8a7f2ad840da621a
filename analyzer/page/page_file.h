// SPDX-License-Identifier: Apache-2.0
//
// One HTML file with its program, its styles and its data inside. It loads nothing, and its policy
// forbids it to. The data is compressed and written in base64, so no name in it can become markup.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "analyzer/base/json_text.h"
#include "analyzer/page/page_bundle.h"

namespace memtrace::analyzer {

std::string base64(std::string_view bytes);

// Returns `text` as HTML that shows it.
std::string escaped(std::string_view text);

// Throws Error if `bundle` is empty, because then there are no pages.
void require_bundle(const PageBundle& bundle);

// Returns the data of a page as text. In its strings, '?' stands for each control character and for
// each character that changes the direction of the text around it, as on a terminal; tabs and ends
// of lines stay. U+FFFD stands for what is not UTF-8.
std::string page_json(Json data);

// Returns the whole file. `data` is JSON (web/src/data.ts and web/src/diff/diff_data.ts declare
// it).
std::string page_file(const std::string& title, const PageBundle& bundle, const std::string& data);

// Calls make() with a limit on the nodes of its call tree, and with a smaller one for as long as
// the file has more than `bytes_max` bytes. Returns the file.
std::string bounded_page(size_t bytes_max, const std::function<std::string(size_t nodes)>& make);

}  // namespace memtrace::analyzer
