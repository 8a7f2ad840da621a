// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/baseline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "analyzer/base/error.h"
#include "analyzer/base/json_text.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text_file.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t depth_max = 32;
constexpr size_t members_max = 1000;

constexpr const char* schema_field = "memtrace_baseline";

// ---- writing -----------------------------------------------------------------------------------

std::string quoted(const std::string& text) { return json_text(Json(text)); }

std::string member(const std::string& name, const std::string& value) {
    return fmt::format("{}: {}", quoted(name), value);
}

// Parts are stored in hundredths of a percent and written in percent.
std::string figure_json(Metric metric, uint64_t value) {
    if (row_of(metric).unit != Unit::percent) return std::to_string(value);
    return fmt::format("{}.{:02}", value / 100, value % 100);
}

std::string band_json(Metric metric, const Band& band) {
    const std::string most = figure_json(metric, band.max);
    if (band.min == band.max) return most;
    return fmt::format("[{}, {}]", figure_json(metric, band.min), most);
}

// Returns `, "leaked_bytes": 12, …`.
std::string bands_text(const Bands& bands, bool with_parts, bool with_zeros) {
    std::string text;
    for (const MetricRow& row : compared_metrics) {
        const Band& found = band(bands, row.metric);
        if ((!with_parts && !adds_up(row.metric)) || (!with_zeros && found == Band{})) continue;
        text += ", " + member(field_of(row.metric), band_json(row.metric, found));
    }
    return text;
}

std::string site_text(const BaselineSite& site) {
    std::string text = member("site", quoted(site.key));
    if (!site.place.empty()) text += ", " + member("at", quoted(site.place));
    return "{" + text + bands_text(site.bands, false, false) + "}";
}

std::string space_text(const BaselineSpace& space) {
    std::string text = "    " + quoted(space.name) + ": {\n";
    for (const MetricRow& row : compared_metrics) {
        if (!has_metric(space, row.metric)) continue;
        const std::string value = band_json(row.metric, band(space.bands, row.metric));
        text += "      " + member(field_of(row.metric), value) + ",\n";
    }
    std::string floors;
    for (const MetricRow& row : compared_metrics) {
        if (!adds_up(row.metric) || !has_metric(space, row.metric)) continue;
        floors += (floors.empty() ? "" : ", ") +
                  member(field_of(row.metric), std::to_string(figure(space.floors, row.metric)));
    }
    text += "      " + member("floors", "{" + floors + "}") + ",\n      \"sites\": [";
    bool first = true;
    for (const BaselineSite& site : space.sites) {
        text += std::exchange(first, false) ? "\n        " : ",\n        ";
        text += site_text(site);
    }
    text += first ? "],\n" : "\n      ],\n";
    const std::string others =
        member("sites", std::to_string(space.other_sites)) + bands_text(space.others, false, false);
    return text + "      " + member("others", "{" + others + "}") + "\n    }";
}

// ---- reading -----------------------------------------------------------------------------------

class Reader {
public:
    explicit Reader(const std::string& path) : path_(path) {}

    Baseline run(const std::string& text) {
        const Json json = parse(text);
        if (!json.is_object() || !json.contains(schema_field)) {
            fail(
                "it is no baseline of memtrace-report; name the file that \"memtrace-report "
                "baseline\" wrote");
        }
        const uint64_t schema = number(json.at(schema_field), schema_field);
        if (schema > baseline_schema) {
            fail(
                fmt::format("it has schema {}, and this memtrace-report knows schema {}; use "
                            "the newer one, or write the baseline again",
                            schema, baseline_schema));
        }
        Baseline baseline;
        baseline.path = path_;
        baseline.tool = word(json, "tool");
        baseline.program = word(json, "program");
        baseline.python = word(json, "python");
        baseline.gpu = word(json, "gpu");
        if (json.contains("selection")) baseline.selection = word(json, "selection");
        baseline.runs = number(at(json, "runs"), "runs");
        for (const auto& [name, space] : object(json, "spaces").items()) {
            baseline.spaces.push_back(read_space(name, space));
        }
        std::sort(baseline.spaces.begin(), baseline.spaces.end(),
                  [](const auto& a, const auto& b) { return a.name < b.name; });
        return baseline;
    }

private:
    // Members of an object are searched one by one, so there must not be too many.
    Json parse(const std::string& text) const {
        std::vector<size_t> members;  // of the open objects and arrays
        const auto look = [&](int, Json::parse_event_t event, Json&) {
            using Event = Json::parse_event_t;
            if (event == Event::object_start || event == Event::array_start) members.push_back(0);
            if (event == Event::object_end || event == Event::array_end) members.pop_back();
            if (event == Event::key) ++members.back();
            if (members.size() > depth_max) {
                fail(fmt::format("it is nested more than {} deep", depth_max));
            }
            if (!members.empty() && members.back() > members_max) {
                fail(fmt::format("it has more than {} members in one object", members_max));
            }
            return true;
        };
        return Json::parse(text, look, false);
    }

    [[noreturn]] void fail(const std::string& sentence) const {
        throw Error(fmt::format("the baseline {} cannot be used: {}", printable(path_),
                                printable(sentence)));
    }

    const Json& at(const Json& json, const std::string& name) const {
        if (!json.is_object() || !json.contains(name)) {
            fail(fmt::format("\"{}\" is missing", name));
        }
        return json.at(name);
    }

    uint64_t number(const Json& json, const std::string& name) const {
        if (!json.is_number_unsigned()) fail(fmt::format("\"{}\" is not a number", name));
        return json.get<uint64_t>();
    }

    std::string word(const Json& json, const std::string& name) const {
        const Json& found = at(json, name);
        if (!found.is_string()) fail(fmt::format("\"{}\" is not a text", name));
        return found.get<std::string>();
    }

    const Json& object(const Json& json, const std::string& name) const {
        const Json& found = at(json, name);
        if (!found.is_object()) fail(fmt::format("\"{}\" is not an object", name));
        return found;
    }

    uint64_t figure_of(Metric metric, const Json& json, const std::string& name) const {
        if (row_of(metric).unit != Unit::percent) return number(json, name);
        const double percent = json.is_number() ? json.get<double>() : -1;
        if (!(percent >= 0 && percent <= 100)) {
            fail(fmt::format("\"{}\" is not a part in percent", name));
        }
        return static_cast<uint64_t>(std::llround(percent * 100));
    }

    Band read_band(Metric metric, const Json& json, const std::string& name) const {
        if (!json.is_array()) {
            const uint64_t value = figure_of(metric, json, name);
            return {value, value};
        }
        if (json.size() != 2) fail(fmt::format("\"{}\" is not [least, most]", name));
        const Band band{figure_of(metric, json[0], name), figure_of(metric, json[1], name)};
        if (band.min > band.max) fail(fmt::format("\"{}\" has its most first", name));
        return band;
    }

    Bands read_bands(const Json& json) const {
        Bands bands{};
        for (const MetricRow& row : compared_metrics) {
            const std::string field = field_of(row.metric);
            if (!json.contains(field)) continue;
            band(bands, row.metric) = read_band(row.metric, json.at(field), field);
        }
        return bands;
    }

    BaselineSpace read_space(const std::string& name, const Json& json) const {
        BaselineSpace space;
        const Json& floors = object(json, "floors");
        const Json& others = object(json, "others");
        const Json& sites = at(json, "sites");
        space.name = name;
        space.bands = read_bands(json);
        space.others = read_bands(others);
        space.other_sites = number(at(others, "sites"), "sites");
        for (const MetricRow& row : compared_metrics) {
            const auto index = static_cast<size_t>(row.metric);
            const std::string field = field_of(row.metric);
            space.has[index] = json.contains(field);
            if (floors.contains(field)) space.floors[index] = number(floors.at(field), field);
        }
        if (!sites.is_array()) fail("\"sites\" is not a list");
        for (const Json& site : sites) {
            BaselineSite found;
            found.key = word(site, "site");
            found.place = site.contains("at") ? word(site, "at") : "";
            found.bands = read_bands(site);
            space.sites.push_back(std::move(found));
        }
        std::sort(space.sites.begin(), space.sites.end(),
                  [](const auto& a, const auto& b) { return a.key < b.key; });
        return space;
    }

    const std::string& path_;
};

}  // namespace

std::string baseline_text(const Baseline& baseline) {
    std::string text = "{\n";
    const auto add = [&](const char* name, const std::string& value) {
        text += "  " + member(name, value) + ",\n";
    };
    add(schema_field, std::to_string(baseline_schema));
    add("tool", quoted(baseline.tool));
    add("program", quoted(baseline.program));
    add("python", quoted(baseline.python));
    add("gpu", quoted(baseline.gpu));
    if (!baseline.selection.empty()) add("selection", quoted(baseline.selection));
    add("runs", std::to_string(baseline.runs));
    text += "  \"spaces\": {";
    bool first = true;
    for (const BaselineSpace& space : baseline.spaces) {
        text += std::exchange(first, false) ? "\n" : ",\n";
        text += space_text(space);
    }
    return text + (first ? "}\n}\n" : "\n  }\n}\n");
}

Baseline parse_baseline(const std::string& text, const std::string& path) {
    return Reader(path).run(text);
}

Baseline read_baseline(const std::string& path) {
    static const std::string how =
        "; \"memtrace-report baseline --output FILE DUMP...\" makes one, and so does check with "
        "--update-baseline";
    return parse_baseline(read_text_file(path, "the baseline", text_file_max, how), path);
}

}  // namespace memtrace::analyzer
