// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/line_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <set>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"
#include "analyzer/frames/frame_facts.h"
#include "analyzer/sites/site_table.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t files_named = 5;

bool ends_path(const std::string& path, const std::string& end) {
    return path.size() > end.size() && path.ends_with(end) &&
           (end.starts_with('/') || path[path.size() - end.size() - 1] == '/');
}

// Returns how well a recorded path matches the wanted one; the lowest rank is the best. Nothing if
// it does not match.
std::optional<size_t> rank_of(const std::string& recorded, const std::string& wanted) {
    if (recorded == wanted) return 0;
    if (ends_path(recorded, wanted)) return 1;
    if (ends_path(wanted, recorded))
        return 2;  // Recorded relative to a folder of the traced machine.
    return std::nullopt;
}

template <class Names>
std::string some_of(const Names& names) {
    std::string text;
    size_t count = 0;
    for (const std::string& name : names) {
        if (++count > files_named) continue;
        text += (count > 1 ? ", " : "") + printable(name);
    }
    if (count > files_named) text += fmt::format(" and {} more", count - files_named);
    return text;
}

}  // namespace

std::string find_source(const Symbols& symbols, const std::string& wanted) {
    const std::string plain = wanted.starts_with("./") ? wanted.substr(2) : wanted;
    std::array<std::set<std::string>, 3> found;
    std::set<std::string> python;
    for (const Frame& frame : symbols.frames) {
        if (frame.file.empty() || frame.kind == FrameKind::backward) continue;
        if (frame.kind == FrameKind::python) python.insert(frame.file);
        if (const auto rank = rank_of(frame.file, plain)) found[*rank].insert(frame.file);
    }
    for (const std::set<std::string>& files : found) {
        if (files.size() == 1) return *files.begin();
        if (files.empty()) continue;
        throw Error(fmt::format("{}: several files are called so ({}); say more of the path",
                                printable(wanted), some_of(files)));
    }
    throw Error(fmt::format("{}: no call stack comes through a file of this name{}",
                            printable(wanted),
                            python.empty() ? "; the dump has no lines of Python"
                                           : " (of Python there are: " + some_of(python) + ")"));
}

FileFigures figures_of(const Space& space, const Symbols& symbols, const std::string& file) {
    std::vector<bool> here;  // by frame
    for (const Frame& frame : symbols.frames) {
        here.push_back(frame.file == file && frame.kind != FrameKind::backward);
    }
    const auto facts = facts_of(symbols);
    FileFigures figures;
    std::vector<uint32_t> seen;  // lines of the current stack
    for (const Site& site : space.sites) {
        seen.clear();
        symbols.walk(site.stack, [&](FrameId id) {
            if (!here[id]) return;
            const uint32_t line = symbols.frames[id].line;
            if (seen.empty()) add(figures.lines[line].self, site.totals);
            if (std::find(seen.begin(), seen.end(), line) != seen.end()) return;
            seen.push_back(line);
            add(figures.lines[line].total, site.totals);
        });
        if (!seen.empty()) add(figures.totals, site.totals);
        if (!symbols.has(site.stack) || !facts->runs_backward(site.stack)) continue;
        bool is_found = false;
        symbols.walk_forward(site.stack, [&](FrameId id) {
            if (!here[id] || is_found) return;
            is_found = true;
            add(figures.lines[symbols.frames[id].line].backward, site.totals);
            add(figures.backward, site.totals);
        });
    }
    return figures;
}

}  // namespace memtrace::analyzer
