// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/project_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#define TOML_HEADER_ONLY 1
#include <toml++/toml.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/text_file.h"
#include "analyzer/base/utf8.h"
#include "analyzer/check/toml_depth.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t config_bytes_max = size_t{1} << 20;
constexpr size_t nearest_max = 100;  // No key is longer.

// Returns the number of letters to change, insert or remove, to turn `a` into `b`.
size_t distance(std::string_view a, std::string_view b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t corner = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t above = row[j + 1];
            row[j + 1] = std::min({above + 1, row[j] + 1, corner + (a[i] == b[j] ? 0 : 1)});
            corner = above;
        }
    }
    return row.back();
}

std::vector<std::string> metric_names() {
    std::vector<std::string> names;
    for (const MetricRow& row : metrics) names.emplace_back(row.name);
    return names;
}

// Up to version 2 of the library, a key is a plain string.
std::string text_of(const auto& key) {
    if constexpr (requires { key.str(); }) return text_of_ascii_toml(key.str());
    else return text_of_ascii_toml(key);
}

class Reader {
public:
    explicit Reader(const std::string& path) {
        config_.path = path;
        config_.folder = std::filesystem::path(path).parent_path().string();
    }

    ProjectConfig run(const toml::table& root) {
        for (const auto& [key, node] : root) read_root(text_of(key), node);
        return std::move(config_);
    }

private:
    [[noreturn]] void fail(const toml::source_region& place, const std::string& sentence) {
        throw Error(fmt::format("{}:{}: {}", printable(config_.path), place.begin.line,
                                printable(sentence)));
    }

    [[noreturn]] void unknown(const std::string& word, const toml::node& node,
                              const std::string& where, const std::vector<std::string>& known) {
        const std::string near = word.size() > nearest_max ? "" : nearest(word, known);
        std::string all;
        for (const std::string& name : known) all += (all.empty() ? "" : ", ") + name;
        fail(node.source(),
             fmt::format("there is no key \"{}\"{}{}", quotable(word),
                         where.empty() ? "" : " in " + where,
                         near.empty() ? "; there are " + all : "; did you mean \"" + near + "\"?"));
    }

    const toml::table& table(const std::string& name, const toml::node& node) {
        if (!node.is_table())
            fail(node.source(), fmt::format("\"{}\" is not a table", quotable(name)));
        return *node.as_table();
    }

    std::string word(const std::string& name, const toml::node& node) {
        if (!node.is_string())
            fail(node.source(), fmt::format("\"{}\" is not a text", quotable(name)));
        return text_of_ascii_toml(node.as_string()->get());
    }

    bool truth(const std::string& name, const toml::node& node) {
        if (!node.is_boolean()) {
            fail(node.source(), fmt::format("\"{}\" is neither true nor false", name));
        }
        return node.as_boolean()->get();
    }

    // Paths are relative to the configuration file, not to the current folder.
    std::string path(const std::string& name, const toml::node& node) {
        const std::string text = word(name, node);
        if (text.empty()) fail(node.source(), fmt::format("\"{}\" names no file", name));
        if (text == "-") return text;  // standard output
        return (std::filesystem::path(config_.folder) / text).string();
    }

    void read_root(const std::string& name, const toml::node& node) {
        static const std::vector<std::string> known{
            "baseline", "suppressions", "default-suppressions",
            "junit",    "sarif",        "markdown",
            "html",     "github",       "limits",
            "sites",    "new-sites",    "phases",
            "code"};
        if (name == "baseline") config_.baseline = path(name, node);
        else if (name == "suppressions") read_suppression_files(name, node);
        else if (name == "default-suppressions") config_.default_suppressions = truth(name, node);
        else if (name == "junit") config_.junit = path(name, node);
        else if (name == "html") config_.html = path(name, node);
        else if (name == "sarif") config_.sarif = path(name, node);
        else if (name == "markdown") config_.markdown = path(name, node);
        else if (name == "github") config_.github = truth(name, node);
        else if (name == "phases") read_phases(node);
        else if (name == "code") read_code(node);
        else if (!read_limits(name, "", node)) unknown(name, node, "", known);
    }

    void read_suppression_files(const std::string& name, const toml::node& node) {
        if (!node.is_array()) return config_.suppressions.push_back(path(name, node));
        for (const toml::node& item : *node.as_array()) {
            config_.suppressions.push_back(path(name, item));
        }
    }

    void read_code(const toml::node& node) {
        static const std::vector<std::string> known{"own", "libraries"};
        for (const auto& [key, patterns] : table("code", node)) {
            const std::string name = text_of(key);
            if (name == "own") read_patterns(config_.code.own, "code.own", patterns);
            else if (name == "libraries") {
                read_patterns(config_.code.libraries, "code.libraries", patterns);
            } else {
                unknown(name, patterns, "code", known);
            }
        }
    }

    void read_patterns(std::vector<std::string>& all, const std::string& name,
                       const toml::node& node) {
        if (node.is_array()) {
            for (const toml::node& item : *node.as_array()) read_patterns(all, name, item);
            return;
        }
        const std::string pattern = word(name, node);
        if (pattern.find_first_not_of('/') == std::string::npos) {
            fail(node.source(), fmt::format("\"{}\" has a pattern that no path fits: \"{}\"; "
                                            "write a folder, a file or a module, like "
                                            "\"third_party\"",
                                            name, pattern));
        }
        all.push_back(pattern);
    }

    void read_phases(const toml::node& node) {
        static const std::vector<std::string> known{"limits", "sites", "new-sites"};
        for (const auto& [phase, tables] : table("phases", node)) {
            const std::string name = text_of(phase);
            for (const auto& [key, limits] : table("phases." + name, tables)) {
                if (!read_limits(text_of(key), name, limits)) {
                    unknown(text_of(key), limits, "phases." + name, known);
                }
            }
        }
    }

    // Returns false if no table of limits has this name.
    bool read_limits(const std::string& name, const std::string& phase, const toml::node& node) {
        Scope scope = Scope::space;
        if (name == "sites") scope = Scope::site;
        else if (name == "new-sites") scope = Scope::new_site;
        else if (name != "limits") return false;
        const std::string where = phase.empty() ? name : "phases." + phase + "." + name;
        for (const auto& [key, value] : table(where, node)) {
            const std::string word = text_of(key);
            if (!value.is_table()) {
                read_limit(scope, phase, "host", word, where, value);
                continue;
            }
            for (const auto& [metric, amount] : *value.as_table()) {
                read_limit(scope, phase, word, text_of(metric), where + "." + word, amount);
            }
        }
        return true;
    }

    void read_limit(Scope scope, const std::string& phase, const std::string& space,
                    const std::string& name, const std::string& where, const toml::node& node) {
        const std::optional<Metric> metric = find_metric(name);
        if (!metric) unknown(name, node, where, metric_names());
        std::string amount;
        if (node.is_integer()) amount = std::to_string(node.as_integer()->get());
        else amount = word(where + "." + name, node);
        Limit limit = parse_limit(*metric, scope, space, amount,
                                  fmt::format("{}:{}: {}.{} =", printable(config_.path),
                                              node.source().begin.line, where, name));
        limit.phase = phase;
        config_.limits.push_back(std::move(limit));
    }

    ProjectConfig config_;
};

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& words) {
    std::string found;
    size_t least = std::max<size_t>(word.size() / 3, 1) + 1;
    for (const std::string& known : words) {
        const size_t steps = distance(word, known);
        if (steps >= least) continue;
        least = steps;
        found = known;
    }
    return found;
}

ProjectConfig parse_config(std::string_view text, const std::string& path) {
    if (const auto line = too_deep_line(text)) {
        throw Error(
            fmt::format("{}:{}: this is nested more than {} deep; no key of a configuration "
                        "has so many parts or brackets",
                        printable(path), *line, toml_depth_max));
    }
    if (const auto line = beyond_ascii_line(text)) {
        throw Error(
            fmt::format("{}:{}: a character that is not ASCII; TOML allows it in quotes and in "
                        "comments only",
                        printable(path), *line));
    }
    if (valid_utf8(text) != text) {
        throw Error(fmt::format("{}: this is not UTF-8, which TOML is", printable(path)));
    }
    try {
        const toml::table root = toml::parse(ascii_toml(without_utf8_mark(text)), path);
        return Reader(path).run(root);
    } catch (const toml::parse_error& error) {
        throw Error(fmt::format("{}:{}: {}", printable(path), error.source().begin.line,
                                printable(text_of_ascii_toml(error.description()))));
    }
}

ProjectConfig read_config(const std::string& path) {
    return parse_config(read_text_file(path, "the configuration", config_bytes_max), path);
}

}  // namespace memtrace::analyzer
