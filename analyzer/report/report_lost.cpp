// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/report_lost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "analyzer/base/enum_names.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/report/report_sites.h"

namespace memtrace::analyzer {
namespace {

using KindRow = LostFigures::Row;
constexpr std::array kinds{
    KindRow{Measure::definitely_lost, "definitely lost", "nothing points to them"},
    KindRow{Measure::indirectly_lost, "indirectly lost", "only lost blocks point to them"},
    KindRow{Measure::possibly_lost, "possibly lost", "only pointers into their middle"},
    KindRow{Measure::garbage, "garbage", "gc.collect() would free them"}};
constexpr const char* possibly_unsure =
    "pointers into their middle, or perhaps in registers of threads";

bool is_lost(Measure measure) {
    return measure == Measure::definitely_lost || measure == Measure::indirectly_lost;
}

// A search of one copy is not sure of anything if other threads were alive.
bool is_unsure(const LostSearchInfo& search) { return search.threads != 0 && search.copies < 2; }

std::string moment_of(const LostSearchInfo& search) {
    switch (search.cause) {
        case LostCause::work_end: return "when the work ended";
        case LostCause::asked: return "asked for by memtrace lost";
        case LostCause::program: return "that the program asked for";
        case LostCause::interval: return "by the clock";
    }
    return "";
}

struct Reachable {
    uint64_t blocks = 0;
    uint64_t bytes = 0;
};

// What was searched, is alive at the end, and is neither lost nor garbage.
Reachable reachable_of(const Totals& totals, const LostSearchInfo& search) {
    const auto rest = [](uint64_t all, std::initializer_list<uint64_t> parts) {
        for (const uint64_t part : parts) all -= std::min(all, part);
        return all;
    };
    const uint64_t garbage_blocks = rest(totals.garbage_blocks, {search.gone_garbage_blocks});
    const uint64_t garbage_bytes = rest(totals.garbage_bytes, {search.gone_garbage_bytes});
    return {
        rest(totals.live_blocks,
             {totals.lost_blocks, totals.indirectly_lost_blocks, totals.possibly_lost_blocks,
              garbage_blocks, search.later_blocks}),
        rest(totals.live_bytes, {totals.lost_bytes, totals.indirectly_lost_bytes,
                                 totals.possibly_lost_bytes, garbage_bytes, search.later_bytes})};
}

void write_row(std::string& out, const TextOptions& options, const std::string& name,
               uint64_t bytes, uint64_t blocks, const std::string& meaning) {
    const Style style(options.colour);
    out += fmt::format("  {:<16}{} in {:<18}{}\n", name,
                       style.number(fmt::format("{:>11}", human_bytes(bytes))),
                       counted(blocks, "block"), style.faint(meaning));
}

// `has_found`: blocks are possibly lost.
std::string text_of(const LostSearchInfo& search, bool has_found) {
    const std::string what =
        search.processes != 0
            ? fmt::format("The searches of {}", counted(search.processes, "recording"))
            : fmt::format("A search {}, {} after the start", moment_of(search),
                          human_time(search.time_ns));
    std::string text = fmt::format("{}: {} ({}) in {}. The program stood still for {}.", what,
                                   counted(search.blocks, "block"), human_bytes(search.bytes),
                                   human_time(search.work_ns), human_time(search.pause_ns));
    const std::string others = search.threads == 1
                                   ? "Another thread was"
                                   : exact_count(search.threads) + " other threads were";
    if (is_unsure(search) && has_found) {
        text += " " + others +
                " alive, whose registers nobody sees, and there was no time for a second look: "
                "nothing is called definitely lost.";
    } else if (search.threads != 0) {
        text += " " + others +
                (search.copies < 2
                     ? " alive; one look found nothing lost."
                     : " alive, so it looked twice; call sites with so few blocks that registers "
                       "of threads may hold them are possibly lost.");
    }
    if (!search.text.empty()) text += " " + printable(search.text);
    return text;
}

// What a search that was not done says, if it came after the last one that was.
const LostSearchInfo* failed_since(const Model& model) {
    if (model.searches.empty()) return nullptr;
    const LostSearchInfo& last = model.searches.back();
    return last.stage == LostStage::done ? nullptr : &last;
}

std::string failure_text(const LostSearchInfo& search) {
    if (search.stage == LostStage::begun) {
        return "A search for lost blocks had not ended when the recording did.";
    }
    if (search.stage == LostStage::refused) return printable(search.text);
    return "The last search for lost blocks failed: " + printable(search.text);
}

// With lost=exit.
std::string why_none_at_end(const Model& model) {
    const std::string what = model.searches.empty()
                                 ? "No search for lost blocks was done"
                                 : "The search for lost blocks at the end of the work was not done";
    if (model.process.end == "running") {
        return what +
               " yet: the program still runs, and with lost=exit it comes when the work "
               "ends.";
    }
    if (model.process.end == "unknown") {
        return what +
               ": with lost=exit it comes when the work ends, and the dump has no end: the "
               "program was killed, or the recording stopped before.";
    }
    return what +
           ": with lost=exit it comes when main() returns or exit() is called, and the "
           "program ended by neither.";
}

// With lost=10m.
std::string why_none_in(const std::string& interval) {
    return fmt::format(
        "No search for lost blocks was done: with lost={} one comes with the first call of an "
        "allocation function after each such time, and none came.",
        printable(interval));
}

}  // namespace

const char* const no_search_requested =
    "No search for lost blocks was done: record with MEMTRACE_OPTIONS=lost=exit.";

std::optional<LostFigures> lost_figures(const Model& model) {
    const Space* const host = find_space(model, "host");
    const LostSearchInfo* const search = last_search(model);
    if (search == nullptr || host == nullptr || model.phase) return std::nullopt;
    const Totals& totals = host->totals;
    LostFigures figures;
    for (KindRow kind : kinds) {
        const bool is_vague = kind.measure == Measure::possibly_lost && search->threads != 0;
        if (is_vague) kind.meaning = possibly_unsure;
        kind.blocks = blocks_of(totals, kind.measure);
        kind.bytes = value_of(totals, kind.measure);
        // Most programs are not in Python.
        if (kind.measure == Measure::garbage && kind.blocks == 0) continue;
        figures.kinds.push_back(kind);
    }
    const Reachable reachable = reachable_of(totals, *search);
    figures.reachable_blocks = reachable.blocks;
    figures.reachable_bytes = reachable.bytes;
    figures.later_blocks = search->later_blocks;
    figures.later_bytes = search->later_bytes;
    figures.text = text_of(*search, totals.possibly_lost_blocks != 0);
    return figures;
}

std::string why_not_searched(const Model& model) {
    if (const LostSearchInfo* const failed = failed_since(model)) return failure_text(*failed);
    if (!model.searches.empty() && model.searches[0].processes != 0) return "";  // merged
    const auto wanted = model.options.find("lost");
    if (wanted == model.options.end() || wanted->second == "off") return "";
    if (wanted->second != "exit") return model.searches.empty() ? why_none_in(wanted->second) : "";
    const bool has_come = std::any_of(
        model.searches.begin(), model.searches.end(),
        [](const LostSearchInfo& search) { return search.cause == LostCause::work_end; });
    return has_come ? "" : why_none_at_end(model);
}

void write_lost(std::string& out, const Recording& recording, const TextOptions& options) {
    const Model& model = recording.model;
    if (const std::string why = why_not_searched(model); !why.empty()) {
        write_title(out, options, "Lost blocks", "");
        write_wrapped(out, "  " + why, 2, options.width);
    } else if (options.lost_only && last_search(model) == nullptr) {
        write_title(out, options, "Lost blocks", "");
        write_wrapped(out, "  " + std::string(no_search_requested), 2, options.width);
    }
    const std::optional<LostFigures> figures = lost_figures(model);
    const Space* const host = find_space(model, "host");
    if (!figures || !options.shows(*host)) return;
    const Totals& totals = host->totals;
    const uint64_t lost = totals.lost_blocks + totals.indirectly_lost_blocks;
    write_title(out, options, "Lost blocks",
                lost == 0 ? ": none"
                          : fmt::format(": {} in {}", human_bytes(value_of(totals, Measure::lost)),
                                        counted(lost, "block")));
    for (const KindRow& kind : figures->kinds)
        write_row(out, options, kind.name, kind.bytes, kind.blocks, kind.meaning);
    if (!model.filters) {
        write_row(out, options, "still reachable", figures->reachable_bytes,
                  figures->reachable_blocks, "pointers lead to their beginnings");
        if (figures->later_blocks != 0) {
            write_row(out, options, "not searched", figures->later_bytes, figures->later_blocks,
                      "acquired after the search");
        }
    }
    write_wrapped(out, "  " + figures->text, 2, options.width);
    for (const KindRow& kind : kinds) {
        if (options.lost_only && !is_lost(kind.measure)) continue;
        const uint64_t blocks = blocks_of(totals, kind.measure);
        if (blocks == 0) continue;
        std::string name(kind.name);
        name[0] = static_cast<char>(name[0] - 'a' + 'A');
        write_title(out, options, name,
                    fmt::format(": {} in {}", human_bytes(value_of(totals, kind.measure)),
                                counted(blocks, "block")));
        write_site_list(out, recording, *host, kind.measure, options);
    }
}

void write_lost_in_summary(std::string& out, const Recording& recording,
                           const TextOptions& options) {
    const Model& model = recording.model;
    if (const std::string why = why_not_searched(model); !why.empty())
        return write_wrapped(out, "\n" + why, 2, options.width);
    const LostSearchInfo* const search = last_search(model);
    const Space* const host = find_space(model, "host");
    if (search == nullptr || host == nullptr || model.phase) return;
    const Totals& totals = host->totals;
    const auto amount = [&](Measure measure) {
        return fmt::format("{} in {}", human_bytes(value_of(totals, measure)),
                           counted(blocks_of(totals, measure), "block"));
    };
    std::string text =
        fmt::format("definitely {}, indirectly {}, possibly {}", amount(Measure::definitely_lost),
                    amount(Measure::indirectly_lost), amount(Measure::possibly_lost));
    const bool has_any = totals.lost_blocks + totals.possibly_lost_blocks != 0;
    if (!has_any) text = "none of " + counted(search->blocks, "block");
    if (totals.garbage_blocks != 0)
        text += "; garbage of Python, not yet collected: " + amount(Measure::garbage);
    write_title(out, options, "Lost blocks", ": " + text);
    if (has_any) out += "  memtrace-report leaks --lost lists them.\n";
    else if (totals.garbage_blocks != 0) out += "  memtrace-report leaks lists it.\n";
}

Json lost_json(const Model& model) {
    if (model.searches.empty()) return nullptr;
    Json searches = Json::array();
    for (const LostSearchInfo& search : model.searches) {
        searches.push_back({{"state", word_of(search.stage)},
                            {"cause", word_of(search.cause)},
                            {"time_ns", search.time_ns},
                            {"pause_ns", search.pause_ns},
                            {"copies", search.copies},
                            {"other_threads", search.threads},
                            {"blocks", search.blocks},
                            {"bytes", search.bytes},
                            {"work_ns", search.work_ns},
                            {"later_blocks", search.later_blocks},
                            {"later_bytes", search.later_bytes},
                            {"gone_garbage_blocks", search.gone_garbage_blocks},
                            {"gone_garbage_bytes", search.gone_garbage_bytes},
                            {"why", search.text}});
    }
    Json json{{"searches", std::move(searches)}};
    const LostSearchInfo* const search = last_search(model);
    const Space* const host = find_space(model, "host");
    if (search == nullptr) return json;
    const Totals totals = host == nullptr ? Totals{} : host->totals;
    const auto sum = [&](Measure measure) {
        return Json{{"blocks", blocks_of(totals, measure)}, {"bytes", value_of(totals, measure)}};
    };
    json["definitely"] = sum(Measure::definitely_lost);
    json["indirectly"] = sum(Measure::indirectly_lost);
    json["possibly"] = sum(Measure::possibly_lost);
    json["garbage"] = sum(Measure::garbage);
    const Reachable reachable = reachable_of(totals, *search);
    json["reachable"] = {{"blocks", reachable.blocks}, {"bytes", reachable.bytes}};
    return json;
}

}  // namespace memtrace::analyzer
