// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ci/report_sarif.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <map>
#include <string_view>

#include "analyzer/base/json_text.h"
#include "memtrace/dump/hash.h"

namespace memtrace::analyzer {

namespace {

constexpr const char* schema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
constexpr const char* project_root = "%SRCROOT%";

std::string rule_id(const Limit& limit) {
    static constexpr std::array scopes{"", "-of-site", "-of-new-site"};
    return fmt::format("memtrace/{}{}", row_of(limit.metric).name,
                       scopes[static_cast<size_t>(limit.scope)]);
}

Json rule_json(const Limit& limit) {
    static constexpr std::array scopes{"", " by one call site",
                                       " by one call site that the baseline does not have"};
    const std::string text =
        std::string(row_of(limit.metric).help) + scopes[static_cast<size_t>(limit.scope)] + ".";
    return {{"id", rule_id(limit)},
            {"shortDescription", {{"text", text}}},
            {"defaultConfiguration", {{"level", "error"}}}};
}

// The same site of the same limit has the same fingerprint in every run, even if its line moves.
std::string fingerprint(const Limit& limit, const std::string& site) {
    const std::string text = title_of(limit) + '\n' + site;
    return fmt::format("{:016x}", hash_bytes(text.data(), text.size()));
}

Json location_json(const SourceLocation& place) {
    Json location = Json::object();
    if (!place.file.empty()) {
        Json physical{
            {"artifactLocation", {{"uri", uri_of(place.file)}, {"uriBaseId", project_root}}}};
        if (place.line != 0) physical["region"] = {{"startLine", place.line}};
        location["physicalLocation"] = std::move(physical);
    }
    if (!place.function.empty()) {
        location["logicalLocations"] =
            Json::array({{{"fullyQualifiedName", place.function}, {"kind", "function"}}});
    }
    return location;
}

Json result_json(const CheckResult& check, const LimitResult& result, const Blame* blame) {
    std::string text = title_of(result.limit) + ": " + verdict_text(result) + ".";
    if (blame != nullptr) text += " " + blame_sentence(result, *blame) + ".";
    Json json{
        {"ruleId", rule_id(result.limit)},
        {"level", "error"},
        {"message", {{"text", text}}},
        {"partialFingerprints",
         {{"memtraceSite/v1", fingerprint(result.limit, blame == nullptr ? "" : blame->site)}}},
        {"properties",
         {{"program", check.measured.program},
          {"space", result.limit.space},
          {"measured", result.measured},
          {"allowed", result.allowed}}}};
    if (blame == nullptr) return json;
    json["properties"]["site"] = blame->site;
    json["locations"] = Json::array({location_json(blame->place)});
    if (blame->below) json["baselineState"] = "new";
    if (blame->before) json["baselineState"] = "updated";
    return json;
}

Json notification(const std::string& level, const std::string& text) {
    return {{"level", level}, {"message", {{"text", text}}}};
}

}  // namespace

std::string uri_of(const std::string& path) {
    static constexpr std::string_view plain = "-._~/";
    std::string uri;
    for (const char c : path) {
        const auto byte = static_cast<unsigned char>(c);
        const bool kept =
            byte < 0x80 && (std::isalnum(byte) != 0 || plain.find(c) != std::string_view::npos);
        uri += kept ? std::string(1, c) : fmt::format("%{:02X}", byte);
    }
    return uri;
}

std::string sarif_text(const std::vector<CheckedDump>& dumps) {
    std::map<std::string, Json> rules;
    Json results = Json::array();
    Json notifications = Json::array();
    bool is_whole = true;
    for (const CheckedDump& dump : dumps) {
        const CheckResult& check = dump.result;
        for (const LimitResult& limit : check.limits) {
            rules.try_emplace(rule_id(limit.limit), rule_json(limit.limit));
            if (limit.passed) continue;
            if (limit.blamed.empty()) results.push_back(result_json(check, limit, nullptr));
            for (const Blame& blame : limit.blamed) {
                results.push_back(result_json(check, limit, &blame));
            }
        }
        if (!dump.unread.empty()) {
            is_whole = false;
            notifications.push_back(notification("error", dump.unread));
        }
        for (const std::string& obstacle : check.obstacles) {
            is_whole = false;
            notifications.push_back(notification("error", obstacle));
        }
        for (const std::string& remark : check.remarks) {
            notifications.push_back(notification("note", remark));
        }
        for (const SuppressionRemark& remark : suppression_remarks(check)) {
            notifications.push_back(notification(
                "warning", fmt::format("{}:{}: {}", remark.file, remark.line, remark.text)));
        }
    }
    Json rule_list = Json::array();
    for (auto& [id, rule] : rules) rule_list.push_back(std::move(rule));
    const Json driver{{"name", "memtrace-report"},
                      {"version", MEMTRACE_VERSION},
                      {"rules", std::move(rule_list)}};
    Json run{{"tool", {{"driver", driver}}},
             {"columnKind", "unicodeCodePoints"},
             {"originalUriBaseIds",
              {{project_root, {{"description", {{"text", "The root of the project."}}}}}}},
             {"invocations", Json::array({{{"executionSuccessful", is_whole},
                                           {"toolExecutionNotifications", notifications}}})},
             {"results", std::move(results)}};
    const Json document{{"$schema", schema}, {"version", "2.1.0"}, {"runs", Json::array({run})}};
    return json_text(document, 2) + "\n";
}

}  // namespace memtrace::analyzer
