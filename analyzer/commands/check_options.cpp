// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/check_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <utility>

#include "analyzer/check/limit_check.h"
#include "analyzer/check/project_config.h"

namespace memtrace::analyzer {

namespace {

namespace fs = std::filesystem;

void read_limits(CheckOptions& check) {
    for (const MetricRow& row : metrics) {
        const std::string option = fmt::format("--max-{}", row.name);
        for (const std::string& text : check.typed.of_spaces[static_cast<size_t>(row.metric)]) {
            check.limits.push_back(parse_limit(row.metric, Scope::space, text, option));
        }
    }
    for (const std::string& text : check.typed.of_sites) {
        check.limits.push_back(parse_site_limit(Scope::site, text, "--max-site"));
    }
    for (const std::string& text : check.typed.of_new_sites) {
        check.limits.push_back(parse_site_limit(Scope::new_site, text, "--max-new-site"));
    }
}

}  // namespace

void add_project_options(OptionList& options, CheckOptions& check) {
    options.add_value("--config", check.config, "FILE",
                      "Limits and files of the project (memtrace.toml)");
    options.add_values(
        "--suppressions", check.suppressions, "FILE",
        "Leaks that are accepted, as LeakSanitizer or valgrind have them (repeatable)");
    options.add_flag("--no-default-suppressions", check.typed.no_default_suppressions,
                     "Count what memtrace-report suppressions prints, too");
    options.add_value("--root", check.root, "DIR",
                      "Show files relative to this folder (the configuration's)");
}

void add_limit_options(OptionList& options, TypedLimits& typed) {
    for (const MetricRow& row : metrics) {
        options.add_values(fmt::format("--max-{}", row.name),
                           typed.of_spaces[static_cast<size_t>(row.metric)], "[SPACE=]N|+N%",
                           fmt::format("{} (of host, or SPACE; repeatable)", row.help));
    }
    options.add_values("--max-site", typed.of_sites, "METRIC=[SPACE=]N|+N%",
                       "The same for each call site");
    options.add_values(
        "--max-new-site", typed.of_new_sites, "METRIC=[SPACE=]N",
        "The same for each call site that the baseline does not have (leaked-bytes=64K)");
}

void read_check_options(CheckOptions& check) {
    if (check.typed.no_default_suppressions) check.default_suppressions = false;
    read_limits(check);
    add_config(check);
}

void add_config(CheckOptions& options) {
    std::error_code error;
    if (options.config.empty() && fs::exists(config_name, error)) options.config = config_name;
    if (!options.config.empty()) {
        const ProjectConfig config = read_config(options.config);
        const auto fill = [](std::string& at, const std::string& value) {
            if (at.empty()) at = value;
        };
        fill(options.baseline, config.baseline);
        fill(options.junit, config.junit);
        fill(options.html, config.html);
        fill(options.sarif, config.sarif);
        fill(options.markdown, config.markdown);
        fill(options.root, config.folder);
        options.suppressions.insert(options.suppressions.end(), config.suppressions.begin(),
                                    config.suppressions.end());
        options.default_suppressions =
            options.default_suppressions && config.default_suppressions.value_or(true);
        options.github = options.github || config.github.value_or(false);
        options.limits = merge_limits(std::move(options.limits), config.limits);
        options.code = config.code;
    }
    if (options.root.empty()) options.root = ".";
    options.root = fs::absolute(options.root, error).lexically_normal().string();
    if (options.update_baseline && options.baseline.empty()) options.baseline = default_baseline;
}

bool asks_for_growth(const CheckOptions& options) {
    return std::any_of(options.limits.begin(), options.limits.end(), [](const Limit& limit) {
        return is_rate(row_of(limit.metric)) && !limit.is_off;
    });
}

std::vector<Suppression> all_suppressions(const CheckOptions& options) {
    std::vector<Suppression> all;
    const auto add = [&](std::vector<Suppression> more) {
        all.insert(all.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
    };
    for (const std::string& file : options.suppressions) add(read_suppressions(file));
    if (options.default_suppressions) add(default_suppressions());
    return all;
}

std::vector<Suppression> with_program_suppressions(std::vector<Suppression> suppressions,
                                                   const Model& model) {
    if (last_search(model) == nullptr) return suppressions;
    std::vector<Suppression> more = program_suppressions(model.program_suppressions);
    suppressions.insert(suppressions.end(), std::make_move_iterator(more.begin()),
                        std::make_move_iterator(more.end()));
    return suppressions;
}

}  // namespace memtrace::analyzer
