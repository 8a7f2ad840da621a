// SPDX-License-Identifier: Apache-2.0
//
// Options that several commands have. The add_ functions declare them; the read_ functions turn
// what was typed into values after the whole command line has been read.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "analyzer/commands/option_list.h"
#include "analyzer/commands/request.h"
#include "analyzer/replay/load.h"
#include "analyzer/sites/recording.h"

namespace memtrace::analyzer {

// The dumps, and the options that every command has.
void add_common_options(OptionList& options, Request& request);

void add_space_option(OptionList& options, Request& request);
void add_phase_option(OptionList& options, Request& request);
// --from, --to and the mark that their steps are counted by.
void add_range_options(OptionList& options, Request& request);
// Takes --from and --to of a command that is about whole recordings, so that finish() can say so.
void add_refused_range_options(OptionList& options, Request& request);
// The filters of sites, without --space.
void add_filter_options(OptionList& options, Request& request);
void add_min_option(OptionList& options, Request& request, const char* help);
void add_step_option(OptionList& options, Request& request);
void add_sort_option(OptionList& options, Request& request);
void add_top_option(OptionList& options, Request& request, const char* help);
void add_all_frames_option(OptionList& options, Request& request);
void add_depth_option(OptionList& options, Request& request, const char* help);

// Options about the stacks of a report.
void add_stack_options(OptionList& options, Request& request, const char* depth_help,
                       const char* min_help);

// Options of lists of call sites.
void add_list_options(OptionList& options, Request& request);

// All options of a command that lists call sites and has no options of its own.
void add_report_options(OptionList& options, Request& request);

// The same for a command that begins with the table of own lines.
void add_own_report_options(OptionList& options, Request& request);

// Values of options that were not typed.
struct TextDefaults {
    size_t top = 10;
    size_t own_top = 10;
    size_t depth = 10;
    double min_percent = 0;
};

// Each throws Error if the typed text makes no sense.
void read_text_options(Request& request, const TextDefaults& defaults = {});
void read_sort(Request& request);

// A phase like "step 10..20" becomes a range.
void read_phase(Request& request);
void read_range(Request& request);

// Throws Error if a range is requested. `why` is the end of the sentence.
void refuse_range(const Request& request, const char* why);

// Throws Error if JSON is requested, for commands that have no report.
void refuse_json(const Request& request);

// Command::finish of a command that has only the options above.
void finish_options(Request& request);

// Returns the file of -o, or else the dump's name with `ending` in place of its own.
std::string output_beside(const Recording& recording, const Request& request,
                          std::string_view ending);

// The same for a dump that is not loaded: "run.bin" becomes "run.html".
std::string file_beside(const std::string& dump, std::string_view ending);

// Command::load_options of a command that writes what all reports need: phases, and slices.
LoadOptions load_everything(const Request& request);

// Command::load_options of a command that needs nothing but the recording, or the requested phase,
// range and threads.
LoadOptions load_phase_or_all(const Request& request);

}  // namespace memtrace::analyzer
