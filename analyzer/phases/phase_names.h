// SPDX-License-Identifier: Apache-2.0
//
// The names of phases, and the patterns that select phases.
//
// Names that differ only in their numbers are one phase: "step 1", "step 2", … are "step #". So a
// run of ten thousand steps stays readable. A pattern may match either form.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

// Returns "message", or "domain: message".
std::string full_name(const Mark& mark);

// Returns the name with "#" in place of each sequence of digits.
std::string grouped_name(std::string_view full_name);

// A pattern given by the user: a name, a grouped name, or either with * for any characters.
class PhasePattern {
public:
    explicit PhasePattern(std::string text) : text_(std::move(text)) {}

    bool matches(std::string_view full_name) const;
    const std::string& text() const { return text_; }

private:
    std::string text_;
};

// Returns the sentence for a name that does not occur. `names` are the names that do.
std::string unknown_phase(std::string_view option, std::string_view asked,
                          const std::set<std::string>& names);

// Returns the few of `names` that are most similar to `text`, best first.
std::vector<std::string> nearest_names(std::string_view text,
                                       const std::vector<std::string>& names);

}  // namespace memtrace::analyzer
