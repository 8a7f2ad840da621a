// SPDX-License-Identifier: Apache-2.0
//
// Dumps that are found beside each other in a folder: the newest, and those of one process. A
// process that replaces its program by exec begins a new dump each time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/model.h"

namespace memtrace::analyzer {

// Returns the newest dump of `folder` that has the default name, or nothing if there is none.
std::optional<std::string> newest_dump(const std::string& folder);

// What the same process recorded in other dumps, each in the order of their beginnings.
struct OtherImages {
    std::vector<std::string> earlier;
    std::vector<std::string> later;
};
OtherImages find_other_images(const std::string& path);

// Adds a note about them to the recording of `path`, if there are any.
void note_other_images(Model& model, const std::string& path);

}  // namespace memtrace::analyzer
