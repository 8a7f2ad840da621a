// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"
#include "analyzer/report/report_summary.h"
#include "analyzer/sites/json_sites.h"
#include "analyzer/training/tensor_makers.h"

namespace memtrace::analyzer {

namespace {

void finish(Request& request) {
    const double min_percent = request.typed.top == 0 ? 1 : 0;
    read_text_options(request, {.top = 3, .own_top = 5, .depth = 5, .min_percent = min_percent});
}

std::vector<std::string> tensor_sentences(const Recording& recording, const Request& request) {
    std::vector<std::string> sentences;
    for (const MadeTensors& made : made_tensors(recording)) {
        if (request.text.space.empty() || request.text.space == made.space) {
            sentences.push_back(made_text(made));
        }
    }
    return sentences;
}

std::string summary_json(const Recording& recording) {
    const std::string lines = own_lines_json(recording);
    const std::vector<MadeTensors> made = made_tensors(recording);
    if (made.empty()) return lines;
    return lines + ",\n  \"tensors_at_peak\": " + json_text(made_json(made), 2);
}

DumpReport report(const Recording& recording, const Request& request) {
    return {.write_text = whole_text([&](std::string& out) {
                write_summary(out, recording, request.text, tensor_sentences(recording, request));
            }),
            .json = [&] { return summary_json(recording); }};
}

}  // namespace

const Command command_summary{
    .name = "summary",
    .help = "Program, peak and leaks by call site, problems (the default)",
    .add_options = add_own_report_options,
    .finish = finish,
    .sites = SiteFilter::all,
    .report = report,
    .reads_folded_frames = false,
};

}  // namespace memtrace::analyzer
