// SPDX-License-Identifier: Apache-2.0
#include "analyzer/charts/report_histogram.h"

#include <fmt/format.h>

#include <algorithm>

#include "analyzer/base/json_text.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/charts/life_histogram.h"
#include "analyzer/charts/plot.h"
#include "analyzer/model/estimate.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t label_width = 17;
constexpr size_t count_width = 11;
constexpr size_t size_width = 10;
constexpr size_t share_width = 8;
constexpr size_t numbers_width = 2 + label_width + count_width + size_width + share_width + 2;
constexpr LifeScale scales[] = {LifeScale::size, LifeScale::time, LifeScale::events};

const char* title_of(LifeScale scale) {
    switch (scale) {
        case LifeScale::size: return "SIZE";
        case LifeScale::time: return "LIFETIME";
        case LifeScale::events: break;
    }
    return "LIFE IN EVENTS";
}

class Writer {
public:
    Writer(std::string& out, const Recording& recording, const SiteRows& rows,
           const TextOptions& options, bool utf8)
        : out_(out),
          recording_(recording),
          rows_(rows),
          options_(options),
          utf8_(utf8),
          style_(options.colour) {
        const size_t room = options.width > numbers_width ? options.width - numbers_width : 0;
        bar_width_ = std::clamp<size_t>(room / 4, 8, 30);
        row_width_ = room > bar_width_ + 10 + 12 ? room - bar_width_ - 10 : 12;
    }

    void write(size_t index) {
        const Space& space = recording_.model.spaces[index];
        sign_ = space.is_estimate ? "~" : "";
        size_width_ = size_width + sign_.size();
        out_ += "\n" + style_.heading("Blocks of " + printable(space.name));
        for (const LifeScale scale : scales) {
            if (scale == LifeScale::events && !knows_events(recording_.model, space)) {
                out_ += "\n";
                write_wrapped(out_,
                              fmt::format("  {}: not known (-), because a sample does not have "
                                          "every event",
                                          title_of(scale)),
                              2, options_.width);
                continue;
            }
            const Histogram histogram = make_histogram(recording_, rows_, index, scale, false);
            if (scale == LifeScale::size) {
                out_ += fmt::format(": {}{}, {}{}\n", sign_, counted(histogram.all.blocks, "block"),
                                    sign_, human_bytes(histogram.all.bytes));
                alive_ = histogram.alive;
            } else {
                out_ += "\n";
            }
            write_bars(histogram);
            if (scale != LifeScale::size) continue;
            for (const auto& [name, bytes] : kept_beside_blocks(recording_, index)) {
                write_wrapped(
                    out_, fmt::format("  in no block at the end: {} {}", human_bytes(bytes), name),
                    2, options_.width);
            }
        }
    }

private:
    void write_bars(const Histogram& histogram) {
        const bool is_size = histogram.scale == LifeScale::size;
        uint64_t most = is_size ? 0 : alive_.blocks;
        for (const HistogramBar& bar : histogram.bars) most = std::max(most, bar.all.blocks);
        out_ += style_.faint(fmt::format(
                    "  {:<{}}{:>{}}{:>{}}{:>{}}  {:<{}}  {}", title_of(histogram.scale),
                    label_width, "BLOCKS", count_width, "BYTES", size_width_,
                    is_size ? "ALIVE" : "SHARE", share_width, "", bar_width_, "MOSTLY")) +
                "\n";
        BlockSum whole = histogram.all;
        if (!is_size) whole.add(alive_);
        for (const HistogramBar& bar : histogram.bars) {
            if (bar.all.bytes < options_.least(whole.bytes)) continue;
            const uint64_t ended = bar.all.blocks - bar.alive.blocks;
            const std::string share =
                is_size ? (bar.alive.blocks == 0 ? std::string("-")
                                                 : percent(bar.alive.blocks, bar.all.blocks))
                        : percent(bar.all.blocks, whole.blocks);
            write_line(bar_label(histogram.scale, bar), bar.all, share,
                       drawn(ended, bar.alive.blocks, most),
                       fmt::format("{:>7} {}", percent(bar.of_row.blocks, bar.all.blocks),
                                   rows_.text(bar.row, row_width_)));
        }
        if (!is_size && alive_.blocks != 0) {
            write_line("alive at the end", alive_, percent(alive_.blocks, whole.blocks),
                       drawn(0, alive_.blocks, most), "");
        }
    }

    // What has ended is full, what is alive is shaded.
    std::string drawn(uint64_t ended, uint64_t alive, uint64_t most) const {
        std::string text = ended == 0 ? "" : bar(ended, most, bar_width_, utf8_);
        const size_t used = display_width(text);
        const std::string whole = bar(ended + alive, most, bar_width_, utf8_);
        if (alive == 0) return text;
        const size_t length = std::max(display_width(whole), used + (used < bar_width_ ? 1 : 0));
        for (size_t i = used; i < length; ++i) text += utf8_ ? "▒" : ":";
        return text;
    }

    void write_line(const std::string& label, const BlockSum& sum, const std::string& share,
                    const std::string& drawing, const std::string& mostly) {
        const size_t width = std::min(bar_width_, display_width(drawing));
        // Long numbers move what follows, and never touch it.
        std::string line = fmt::format(
            "  {:<{}} {} {:>{}} {:>{}}  {}{}  {}", label, label_width - 1,
            style_.number(fmt::format("{:>{}}", sign_ + exact_count(sum.blocks), count_width - 1)),
            sign_ + human_bytes(sum.bytes), size_width_ - 1, share, share_width - 1, drawing,
            std::string(bar_width_ - width, ' '), mostly);
        line.erase(line.find_last_not_of(' ') + 1);
        out_ += line + "\n";
    }

    std::string& out_;
    const Recording& recording_;
    const SiteRows& rows_;
    const TextOptions& options_;
    bool utf8_;
    Style style_;
    std::string sign_;
    size_t size_width_ = size_width;  // with room for the sign of an estimate
    size_t bar_width_ = 8;
    size_t row_width_ = 12;
    BlockSum alive_;  // of the space
};

Json bars_json(const Histogram& histogram, const SiteRows& rows) {
    Json bars = Json::array();
    for (const HistogramBar& bar : histogram.bars) {
        Json most = rows.json(bar.row);
        most.update(Json{{"blocks", bar.of_row.blocks}, {"bytes", bar.of_row.bytes}});
        Json json{{"from", bin_begin(histogram.scale, bar.bin)},
                  {"below", bin_begin(histogram.scale, bar.next_bin)},
                  {"blocks", bar.all.blocks},
                  {"bytes", bar.all.bytes}};
        if (histogram.scale == LifeScale::size) {
            json.update(Json{{"alive_blocks", bar.alive.blocks}, {"alive_bytes", bar.alive.bytes}});
        }
        json["most"] = std::move(most);
        bars.push_back(std::move(json));
    }
    return bars;
}

}  // namespace

void write_histogram(std::string& out, const Recording& recording, const TextOptions& options,
                     bool utf8) {
    write_program(out, recording, options);
    write_no_space(out, recording, options);
    const SiteRows rows(recording);
    Writer writer(out, recording, rows, options, utf8);
    for (size_t i = 0; i < recording.model.spaces.size(); ++i) {
        if (options.shows(recording.model.spaces[i])) writer.write(i);
    }
    if (!recording.model.spaces.empty()) {
        out += "\n";
        write_wrapped(out,
                      fmt::format("  {}: alive at the end. An event is an allocation or a release "
                                  "of any thread. MOSTLY: the line with most blocks of the bar.",
                                  utf8 ? "▒" : ":"),
                      2, options.width);
    }
    write_foot(out, recording, options);
}

std::string histogram_json(const Recording& recording) {
    const SiteRows rows(recording);
    Json spaces = Json::array();
    for (size_t i = 0; i < recording.model.spaces.size(); ++i) {
        const Space& space = recording.model.spaces[i];
        const auto histogram = [&](LifeScale scale) {
            return make_histogram(recording, rows, i, scale, true);
        };
        const Histogram sizes = histogram(LifeScale::size);
        uint64_t kept = 0;
        for (const auto& [name, bytes] : kept_beside_blocks(recording, i)) kept += bytes;
        spaces.push_back({{"space", space.name},
                          {"is_estimate", space.is_estimate},
                          {"blocks", sizes.all.blocks},
                          {"bytes", sizes.all.bytes},
                          {"alive_blocks", sizes.alive.blocks},
                          {"alive_bytes", sizes.alive.bytes},
                          {"kept_bytes", kept},
                          {"sizes", bars_json(sizes, rows)},
                          {"lifetimes_ns", bars_json(histogram(LifeScale::time), rows)},
                          {"lifetimes_events", knows_events(recording.model, space)
                                                   ? bars_json(histogram(LifeScale::events), rows)
                                                   : Json(nullptr)}});
    }
    return "\"histogram\": " + json_text(spaces, 2);
}

}  // namespace memtrace::analyzer
