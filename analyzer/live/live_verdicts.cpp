// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/live_verdicts.h"

#include <algorithm>
#include <array>

#include "analyzer/base/json_text.h"

namespace memtrace::analyzer {
namespace {

// The worst first. What is not in this list is nothing to worry about.
constexpr std::array<std::string_view, 4> verdicts{"leak", "growing", "loaded", "cache"};

size_t weight(const std::string& verdict) {
    return static_cast<size_t>(std::find(verdicts.begin(), verdicts.end(), verdict) -
                               verdicts.begin());
}

double number(const Json& value) { return value.is_number() ? value.get<double>() : 0; }

}  // namespace

LiveVerdicts read_live_verdicts(std::string_view text) {
    const Json document = Json::parse(text);
    const Json& growth = document.at("growth");
    LiveVerdicts result;
    for (const Json& finding : growth.at("findings")) {
        const std::string verdict = finding.at("verdict");
        result.grown[{finding.at("space"), verdict}] +=
            static_cast<uint64_t>(std::max(0.0, number(finding.at("grown_bytes"))));
        const Json& own = finding.at("own");
        if (own.is_null()) continue;
        LiveVerdict& known =
            result.of_lines[{finding.at("space"), {own.at("file"), own.at("line")}}];
        if (known.verdict.empty() || weight(verdict) < weight(known.verdict)) {
            known.verdict = verdict;
        }
        known.per_step += number(finding.at("bytes_per_step"));
    }
    result.steps = growth.at("steps");
    if (growth.at("step").is_string()) result.step = growth.at("step");
    return result;
}

}  // namespace memtrace::analyzer
