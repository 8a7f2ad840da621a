// SPDX-License-Identifier: Apache-2.0
#include "analyzer/sites/json_sites.h"

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/frames/json_frames.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/model/estimate.h"
#include "analyzer/model/known_modules.h"
#include "analyzer/sites/site_list.h"

namespace memtrace::analyzer {
namespace {

constexpr size_t flush_bytes = 1 << 16;

// Only where a search has found such blocks.
void add_lost(Json& json, const Totals& totals) {
    if (totals.garbage_blocks != 0) {
        json.update(
            {{"garbage_blocks", totals.garbage_blocks}, {"garbage_bytes", totals.garbage_bytes}});
    }
    if (totals.lost_blocks + totals.indirectly_lost_blocks + totals.possibly_lost_blocks == 0) {
        return;
    }
    json.update({{"lost_blocks", totals.lost_blocks},
                 {"lost_bytes", totals.lost_bytes},
                 {"indirectly_lost_blocks", totals.indirectly_lost_blocks},
                 {"indirectly_lost_bytes", totals.indirectly_lost_bytes},
                 {"possibly_lost_blocks", totals.possibly_lost_blocks},
                 {"possibly_lost_bytes", totals.possibly_lost_bytes}});
}

// There are many sites with long stacks, but their frames repeat. So each frame is turned into
// text only once.
class SiteWriter {
public:
    SiteWriter(const Recording& recording, const std::function<void(std::string_view)>& write,
               bool interpreter_frames)
        : recording_(recording),
          write_(write),
          view_(recording.symbols, interpreter_frames),
          frames_(recording.symbols.frames.size()) {}

    void run(const std::function<bool(const Totals&)>& is_listed, uint64_t frames_max) {
        for (const Space& space : recording_.model.spaces) {
            Sites wanted;
            std::vector<uint64_t> estimated;
            for (size_t i = 0; i < space.sites.size(); ++i) {
                if (!is_listed(space.sites[i].totals)) continue;
                wanted.push_back(space.sites[i]);
                if (i < space.estimated_bytes.size()) estimated.push_back(space.estimated_bytes[i]);
            }
            const SiteList list = list_sites(wanted, view_, frames_max);
            // Sites that were merged have no part that is known.
            if (list.sites.size() != estimated.size()) estimated.clear();
            for (size_t i = 0; i < list.sites.size(); ++i) {
                std::optional<uint64_t> part;
                if (!estimated.empty()) part = estimated[i];
                add(space, list.sites[i], part, list.depth);
            }
        }
        write_(pending_);
    }

private:
    void add(const Space& space, const ListedSite& site, std::optional<uint64_t> estimated,
             uint32_t depth) {
        pending_ += is_first_ ? "\n    " : ",\n    ";
        is_first_ = false;
        pending_ += "{\"space\": " + json_text(Json(space.name)) + ", \"stack\": [";
        bool inside = true;  // still in the shim's own frames
        bool first = true;
        const auto show = [&](FrameId id, uint32_t node) {
            const std::string& module = recording_.symbols.frames[id].module;
            inside = inside && is_shim_module(module);
            if (inside) return true;
            if (!first) pending_ += ", ";
            first = false;
            pending_ += frame_text(id);
            // Not part of the cached text, because the same function may be guessed in some stacks
            // only.
            if (is_guessed(node)) pending_.replace(pending_.size() - 1, 1, ",\"guessed\":true}");
            return true;
        };
        view_.walk(site.stack, show, depth);
        if (depth != 0) {
            pending_ += "], \"innermost_frames_only\": " + std::to_string(depth) +
                        ", \"sites\": " + std::to_string(site.sites);
        } else {
            pending_ += "]";
        }
        if (const auto backward = view_.backward_of(site.stack)) {
            pending_ += ", \"backward\": " + frame_text(*backward);
        }
        pending_ += ", " + totals_text(space, site, estimated);
        if (pending_.size() > flush_bytes) {
            write_(pending_);
            pending_.clear();
        }
    }

    bool is_guessed(uint32_t node) const {
        const StackNodes& nodes = recording_.symbols.nodes;
        return nodes.location(nodes.location_of(node)).kind == NodeKind::guessed;
    }

    std::string totals_text(const Space& space, const ListedSite& site,
                            std::optional<uint64_t> estimated) const {
        const Totals& totals = site.totals;
        const bool complete = site.stack < recording_.symbols.complete.size() &&
                              recording_.symbols.complete[site.stack];
        const Json temporary = knows_temporary(space) ? Json(totals.temporary) : Json(nullptr);
        Json json{{"allocations", totals.allocations},
                  {"allocated_bytes", totals.allocated_bytes},
                  {"at_peak_bytes", totals.at_peak_bytes},
                  {"own_peak_bytes", totals.own_peak_bytes},
                  {"leaked_blocks", totals.live_blocks},
                  {"leaked_bytes", totals.live_bytes},
                  {"held_blocks", totals.held_blocks},
                  {"held_bytes", totals.held_bytes},
                  {"temporary", temporary},
                  {"frees", totals.frees},
                  {"at_peak_blocks", totals.at_peak_blocks},
                  {"complete", complete}};
        add_lost(json, totals);
        if (space.is_estimate) json["ranges"] = ranges_json(space, totals, estimated);
        return json_text(json).substr(1);
    }

    const std::string& frame_text(FrameId id) {
        std::string& text = frames_[id];
        if (!text.empty()) return text;
        return text = json_text(frame_json(recording_.symbols.frames[id]));
    }

    const Recording& recording_;
    const std::function<void(std::string_view)>& write_;
    StackView view_;
    std::vector<std::string> frames_;  // by id; empty: not needed yet
    std::string pending_;
    bool is_first_ = true;
};

}  // namespace

void write_json_sites(const Recording& recording,
                      const std::function<bool(const Totals&)>& is_listed,
                      const std::function<void(std::string_view)>& write,
                      const JsonSiteOptions& options) {
    SiteWriter(recording, write, options.interpreter_frames).run(is_listed, options.frames_max);
}

Json own_row_json(const Symbols& symbols, const OwnRow& row) {
    using Kind = OwnRow::Kind;
    static constexpr std::array kinds{"own", "backward", "import", "library"};
    const bool is_line = (row.kind == Kind::line || row.kind == Kind::backward) && row.name.empty();
    const bool has_place = is_line || row.kind == Kind::import;
    const Frame frame = has_place ? symbols.frames[row.frame] : Frame{};
    return {{"kind", kinds[static_cast<size_t>(row.kind)]},
            {"file", frame.file},
            {"line", frame.line},
            {"function", frame.function},
            {"module", row.kind == Kind::line && !is_line ? row.name : frame.module},
            {"package", row.kind == Kind::import || row.kind == Kind::library ? row.name : ""}};
}

std::string own_lines_json(const Recording& recording) {
    const OwnLines lines = find_own_lines(recording);
    std::string text;
    for (size_t space = 0; space < lines.totals.size(); ++space) {
        for (size_t row = 0; row < lines.rows.size(); ++row) {
            const Totals& totals = lines.totals[space][row];
            const bool is_idle = totals.at_peak_blocks == 0 && totals.held_blocks == 0 &&
                                 totals.at_peak_bytes == 0 && totals.held_bytes == 0;
            if (is_idle) continue;
            Json json{{"space", recording.model.spaces[space].name}};
            json.update(own_row_json(recording.symbols, lines.rows[row]));
            json.update(Json{{"at_peak_bytes", totals.at_peak_bytes},
                             {"at_peak_blocks", totals.at_peak_blocks},
                             {"held_bytes", totals.held_bytes},
                             {"held_blocks", totals.held_blocks},
                             {"half_bytes", totals.half_bytes}});
            text += (text.empty() ? "\n    " : ",\n    ") + json_text(json);
        }
    }
    return "\"own_lines\": [" + text + (text.empty() ? "]" : "\n  ]");
}

}  // namespace memtrace::analyzer
