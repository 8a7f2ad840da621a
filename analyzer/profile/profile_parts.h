// SPDX-License-Identifier: Apache-2.0
//
// The parts of a profile's payload, each written and read by a pair of functions. A function that
// reads throws BadProfile if a number in the file is impossible.
#pragma once

#include <string>
#include <vector>

#include "analyzer/model/merged_parts.h"
#include "analyzer/profile/profile_tree.h"
#include "analyzer/profile/stored_fields.h"
#include "analyzer/sites/recording.h"

namespace memtrace::stored {
class Profile;
}

namespace memtrace::analyzer {

// Everything but names, stacks, spaces, phases, GPUs and the host.
void write_head(const Recording& recording, stored::Profile& file);
void read_head(Recording& recording, const stored::Profile& file);

// Frames, modules, call stacks. The returned node numbers are those of the file.
std::vector<uint32_t> write_tree(const Recording& recording, stored::Profile& file);
void read_tree(Recording& recording, const stored::Profile& file);

// Spaces, their sites and histories, slices and phases. `nodes` is what write_tree() returned.
void write_figures(const Recording& recording, const std::vector<uint32_t>& nodes,
                   stored::Profile& file);
void read_figures(Recording& recording, const stored::Profile& file, bool with_histories);

// The loops that were found by stacks.
void write_loops(const Recording& recording, stored::Profile& file);
void read_loops(Recording& recording, const stored::Profile& file);

// Read after the figures, because it names sites.
void write_gpu(const Recording& recording, const std::vector<uint32_t>& nodes,
               stored::Profile& file);
void read_gpu(Recording& recording, const stored::Profile& file);

// The ledger of the host.
void write_host(const Recording& recording, const std::vector<uint32_t>& nodes,
                stored::Profile& file);
void read_host(Recording& recording, const stored::Profile& file);

// Returns a text that is equal for equal processes only, and the same on every machine.
std::string content_of(const ProcessPart& part);

}  // namespace memtrace::analyzer
