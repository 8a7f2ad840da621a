// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/sites/recording_times.h"

namespace memtrace::analyzer {
namespace {

std::string exactness_of(const Recording& profile) {
    const Model& model = profile.model;
    std::string estimated;
    for (const Space& space : model.spaces) {
        if (space.is_estimate) estimated += (estimated.empty() ? "" : ", ") + space.name;
    }
    const std::string exact =
        estimated.empty() ? "exact" : "exact but for " + estimated + ", estimated from a sample";
    std::string text =
        profile.merged.processes.empty()
            ? exact
            : "sums are " + exact + (estimated.empty() ? ", " : "; ") + "peaks are upper bounds";
    if (holds_unsure(model)) text += "; what is from before the recording was off is not sure";
    if (model.capture.lost_events != 0) {
        text += fmt::format("; {} lost", counted(model.capture.lost_events, "event"));
    }
    if (model.damaged) text += "; the recording is damaged or incomplete";
    return text;
}

}  // namespace

std::string profile_sentence(const Recording& profile, const std::string& path, uint64_t bytes) {
    uint64_t sites = 0;
    for (const Space& space : profile.model.spaces) sites += space.sites.size();
    const size_t processes = profile.merged.processes.size();
    const std::string of =
        processes == 0 ? "" : fmt::format(" of {}", counted(processes, "recording"));
    return fmt::format("{} was written: {}, {} in {}{}; {}.\n", printable(path), human_bytes(bytes),
                       counted(sites, "call stack"), counted(profile.model.spaces.size(), "space"),
                       of, exactness_of(profile));
}

}  // namespace memtrace::analyzer
