// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ci/check_json.h"

#include <array>
#include <string_view>
#include <utility>

#include "analyzer/base/json_text.h"
#include "analyzer/ci/check_sentences.h"

namespace memtrace::analyzer {

namespace {

// Parts are stored in hundredths of a percent and written in percent.
Json figure_json(Metric metric, uint64_t value) {
    if (row_of(metric).unit != Unit::percent) return value;
    return static_cast<double>(value) / 100;
}

Json band_json(Metric metric, const Band& band) {
    return {{"min", figure_json(metric, band.min)}, {"max", figure_json(metric, band.max)}};
}

Json blame_json(Metric metric, const Blame& blame) {
    Json json{{"site", blame.site},
              {"function", blame.place.function},
              {"file", blame.place.file},
              {"line", blame.place.line},
              {"measured", figure_json(metric, blame.now)}};
    if (blocks_of(metric)) json["blocks"] = blame.blocks;
    if (blame.before) json["before"] = band_json(metric, *blame.before);
    if (blame.below) json["before_below"] = figure_json(metric, *blame.below);
    return json;
}

Json limit_json(const LimitResult& result) {
    static constexpr std::array scopes{"space", "site", "new site"};
    const Limit& limit = result.limit;
    Json json{{"limit", row_of(limit.metric).name},
              {"space", limit.space},
              {"scope", scopes[static_cast<size_t>(limit.scope)]},
              {"rule", allowance_text(limit)},
              {"allowed", figure_json(limit.metric, result.allowed)},
              {"measured", figure_json(limit.metric, result.measured)},
              {"default", limit.is_default},
              {"passed", result.passed}};
    if (result.is_open) json["open"] = true;
    if (!limit.phase.empty()) json["phase"] = limit.phase;
    if (blocks_of(limit.metric) && limit.scope == Scope::space) json["blocks"] = result.blocks;
    if (result.is_estimate) {
        json["is_estimate"] = true;
        json["error"] = figure_json(limit.metric, result.error);
    }
    if (result.before) json["before"] = band_json(limit.metric, *result.before);
    if (result.passed) return json;
    json["sites"] = Json::array();
    for (const Blame& blame : result.blamed) {
        json["sites"].push_back(blame_json(limit.metric, blame));
    }
    json["sites_more"] = result.blamed_more;
    return json;
}

Json suppression_json(const SuppressionUse& use) {
    const Suppression& suppression = use.suppression;
    return {{"name", suppression.name},    {"reason", suppression.reason},
            {"until", suppression.until},  {"file", suppression.file},
            {"line", suppression.line},    {"default", suppression.is_default},
            {"expired", use.is_expired},   {"blocks", use.blocks},
            {"bytes", use.bytes},          {"held_blocks", use.held_blocks},
            {"held_bytes", use.held_bytes}};
}

}  // namespace

std::string check_json(const CheckResult& result) {
    Json checks = Json::array();
    for (const LimitResult& limit : result.limits) checks.push_back(limit_json(limit));
    Json suppressions = Json::array();
    for (const SuppressionUse& use : result.suppressions) {
        suppressions.push_back(suppression_json(use));
    }
    const SuppressedSum sum = suppressed_sum(result);
    const Json check{{"passed", has_passed(result) && result.obstacles.empty()},
                     {"obstacles", result.obstacles},
                     {"baseline", result.baseline},
                     {"program", result.measured.program},
                     {"suppressed_blocks", sum.blocks},
                     {"suppressed_bytes", sum.bytes},
                     {"suppressed_held_blocks", sum.held_blocks},
                     {"suppressed_held_bytes", sum.held_bytes},
                     {"remarks", result.remarks},
                     {"suppressions", std::move(suppressions)}};
    const Json members{{"checks", std::move(checks)}, {"check", check}};
    static constexpr std::string_view opening = "{\n  ", closing = "\n}";
    const std::string text = json_text(members, 2);
    return text.substr(opening.size(), text.size() - opening.size() - closing.size());
}

}  // namespace memtrace::analyzer
