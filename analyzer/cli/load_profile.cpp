// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/load_profile.h"

#include <string_view>

#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/log.h"
#include "analyzer/base/terminal.h"
#include "analyzer/commands/command.h"
#include "analyzer/compact/compacted_part.h"
#include "analyzer/filter/site_filter.h"
#include "analyzer/profile/merge_histories.h"
#include "analyzer/profile/profile_file.h"
#include "analyzer/reader/past.h"
#include "analyzer/replay/run_slices.h"

namespace memtrace::analyzer {
namespace {

[[noreturn]] void refuse(const std::string& path, const Recording& profile,
                         const std::string& why) {
    if (profile.is_compacted) throw Error(refusal_of_compacted(path, why));
    const std::string dump =
        profile.merged.processes.empty()
            ? fmt::format("the dump it was made of ({})", printable(profile.path))
            : std::string("the dumps it was made of");
    throw Error(fmt::format("{} is a profile, and {}. Use {}.", printable(path), why, dump));
}

void refuse_threads(const std::string& path, const Recording& profile, const LoadOptions& options) {
    if (options.threads.empty()) return;
    refuse(path, profile, "which thread acquired the memory of a call site is not in it");
}

void refuse_what_needs_events(const std::string& path, const Recording& profile,
                              const Request& request, const LoadOptions& options) {
    if (profile.is_compacted && request.command->goes_on_from_past) return;
    // What a part of the run needs is there, or it was refused when it was read.
    if (profile.is_compacted && asks_for_part(options))
        return refuse_threads(path, profile, options);
    if (request.command->needs_events) {
        refuse(path, profile,
               fmt::format("{} shows events, which it does not hold", request.command->name));
    }
    if (options.watch.events_max != 0 || options.watch.time_max_ns != 0) {
        refuse(path, profile, "how long blocks lived is not in it");
    }
    if (!options.phases.only.empty()) {
        refuse(path, profile,
               fmt::format("the figures of the phase \"{}\" by call site are not in it",
                           printable(options.phases.only)));
    }
    if (options.phases.has_range()) {
        refuse(path, profile, "the figures of a part of its time are not in it");
    }
    refuse_threads(path, profile, options);
    if (options.phases.list && !request.filters.empty()) {
        refuse(path, profile, "the phases of some of the memory are not in it");
    }
    if (options.phases.list && options.phases.each) {
        refuse(path, profile,
               "in it, phases are one if their names differ only in numbers (--each)");
    }
    if (!options.slices || options.slices->step.empty()) return;
    const std::string& step = profile.model.slices.step;
    if (without_numbers(options.slices->step) == step) return;
    const std::string cut =
        step.empty() ? "by time and events" : fmt::format("at \"{}\"", printable(step));
    refuse(path, profile,
           fmt::format("its run is cut {}, not at \"{}\"", cut, printable(options.slices->step)));
}

// Leaves out what the same command would not load of a dump, so that its report is the same.
void leave_out(Recording& profile, const LoadOptions& options) {
    Model& model = profile.model;
    if (!options.phases.list) {
        model.phases.reset();
        // The list of phases remarks on itself.
        std::erase_if(model.notes, [](const NoteInfo& note) { return note.subject == "phases"; });
    }
    if (options.slices && !options.slices->covers_run && !options.slices->covers_end)
        leave_out_rest(model);
    if (options.slices) return;
    model.slices = {};
    for (Space& space : model.spaces) {
        space.history = {};
        space.histories = {};
    }
}

}  // namespace

void limit_to_profile(const std::string& path, Recording& profile, const Request& request,
                      const LoadOptions& options) {
    refuse_what_needs_events(path, profile, request, options);
    leave_out(profile, options);
    if (!profile.is_compacted || !asks_for_part(options)) apply(profile, request.filters);
}

Recording load_profile(const std::string& path, const Request& request) {
    const LoadOptions options = request.command->load_options(request);
    Recording profile = read_profile(path, options.slices.has_value());
    limit_to_profile(path, profile, request, options);
    const SymbolOptions& symbols = request.symbols;
    if (!symbols.sysroot.empty() || !symbols.debug_paths.empty() || symbols.debuginfod) {
        log_note(
            fmt::format("{} is a profile: its names are in it, and were found when it was "
                        "made",
                        printable(path)));
    }
    return profile;
}

}  // namespace memtrace::analyzer
