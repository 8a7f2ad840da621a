// SPDX-License-Identifier: Apache-2.0
#include "analyzer/check/suppressor.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "analyzer/base/paths.h"
#include "analyzer/base/saturating.h"
#include "analyzer/base/wildcards.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/model/known_modules.h"
#include "analyzer/sites/site_table.h"
#include "analyzer/symbolise/demangle.h"

namespace memtrace::analyzer {

namespace {

constexpr FrameId allocating_function = no_frame;  // imagined in front of a stack

// Names that a pattern may have for the allocating function.
constexpr auto allocating_names = std::to_array<std::string_view>(
    {"malloc", "calloc", "realloc", "reallocarray", "memalign", "posix_memalign", "aligned_alloc",
     "valloc", "pvalloc", "mmap", "mmap64"});

// Valgrind's patterns may be mangled names, but symbols contain demangled ones.
std::optional<std::string> demangled(const FramePattern& pattern) {
    const bool is_name = pattern.kind == FramePattern::Kind::function &&
                         pattern.text.find_first_of("*?") == std::string::npos;
    if (!is_name || !is_mangled_name(pattern.text)) return std::nullopt;
    return demangle(pattern.text);
}

bool matches_function(const std::string& pattern, const Frame& frame) {
    return matches_wildcards(pattern, frame.function) ||
           matches_wildcards(pattern, shorten(frame.function));
}

// The pattern is "name.c", a path, or "name.c:12".
bool matches_source(const std::string& pattern, const Frame& frame) {
    const std::string name = base_name(frame.file);
    return !frame.file.empty() &&
           (matches_wildcards(pattern, name) || matches_wildcards(pattern, frame.file) ||
            matches_wildcards(pattern, name + ":" + std::to_string(frame.line)));
}

bool matches_one(const FramePattern& pattern, FrameId id, const Symbols& symbols) {
    using Kind = FramePattern::Kind;
    if (id == allocating_function) {
        const auto fits = [&](std::string_view name) {
            return matches_wildcards(pattern.text, name);
        };
        return pattern.kind == Kind::object ||
               (pattern.kind == Kind::function &&
                std::any_of(allocating_names.begin(), allocating_names.end(), fits));
    }
    const Frame& frame = symbols.frames[id];
    switch (pattern.kind) {
        case Kind::function: return matches_function(pattern.text, frame);
        case Kind::object: return matches_wildcards(pattern.text, frame.module);
        case Kind::source: return matches_source(pattern.text, frame);
        case Kind::any_frames: break;
    }
    return true;
}

// True if the patterns match the first frames. They may end before the stack does.
//
// `...` is like the star in a wildcard: what stands between two of them may match where it first
// can, so only the last one is ever tried again. `matches(pattern, frame)` decides about one frame.
bool matches_all(const std::vector<FramePattern>& patterns, std::span<const FrameId> frames,
                 auto&& matches) {
    constexpr size_t none = SIZE_MAX;
    size_t pattern = 0, frame = 0, after_dots = none, first_frame = 0;
    while (pattern < patterns.size()) {
        if (patterns[pattern].kind == FramePattern::Kind::any_frames) {
            after_dots = ++pattern;
            first_frame = frame;
        } else if (frame < frames.size() && matches(pattern, frames[frame])) {
            ++pattern;
            ++frame;
        } else if (after_dots != none && first_frame < frames.size()) {
            pattern = after_dots;
            frame = ++first_frame;
        } else {
            return false;
        }
    }
    return true;
}

// Returns what the blocks of these kinds are of a site. What is lost was also held when the work
// ended: nobody can have released it since.
Totals part_of(const Totals& site, uint8_t kinds) {
    Totals part;
    uint64_t lost_blocks = 0, lost_bytes = 0;  // of all kinds
    uint64_t blocks = 0, bytes = 0;            // of these kinds
    const auto take = [&](LostKinds kind, uint64_t Totals::*kind_blocks,
                          uint64_t Totals::*kind_bytes) {
        add_saturating(lost_blocks, site.*kind_blocks);
        add_saturating(lost_bytes, site.*kind_bytes);
        if ((kinds & kind) == 0) return;
        part.*kind_blocks = site.*kind_blocks;
        part.*kind_bytes = site.*kind_bytes;
        add_saturating(blocks, site.*kind_blocks);
        add_saturating(bytes, site.*kind_bytes);
    };
    take(kind_definite, &Totals::lost_blocks, &Totals::lost_bytes);
    take(kind_indirect, &Totals::indirectly_lost_blocks, &Totals::indirectly_lost_bytes);
    take(kind_possible, &Totals::possibly_lost_blocks, &Totals::possibly_lost_bytes);
    if ((kinds & kind_reachable) != 0) {
        part.garbage_blocks = site.garbage_blocks;
        part.garbage_bytes = site.garbage_bytes;
    }
    const auto share = [&](uint64_t all, uint64_t lost, uint64_t of_kinds) {
        const uint64_t reachable = (kinds & kind_reachable) != 0 ? all - std::min(all, lost) : 0;
        return reachable + std::min(all, of_kinds);
    };
    part.live_blocks = share(site.live_blocks, lost_blocks, blocks);
    part.live_bytes = share(site.live_bytes, lost_bytes, bytes);
    part.held_blocks = share(site.held_blocks, lost_blocks, blocks);
    part.held_bytes = share(site.held_bytes, lost_bytes, bytes);
    return part;
}

}  // namespace

std::string today_utc() {
    const std::time_t now = std::time(nullptr);
    std::tm parts{};
    std::array<char, 16> text{};
    gmtime_r(&now, &parts);
    std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts);
    return text.data();
}

Suppressor::Suppressor(const Recording& recording, std::vector<Suppression> suppressions,
                       const std::string& today)
    : recording_(recording),
      was_searched_(last_search(recording.model) != nullptr),
      own_paths_(StackView(recording.symbols, true), false) {
    for (Suppression& suppression : suppressions) {
        const bool is_expired = !suppression.until.empty() && suppression.until < today;
        uses_.push_back({std::move(suppression), is_expired, 0, 0, 0, 0});
    }
    std::map<std::pair<FramePattern::Kind, std::string>, uint32_t> known;
    for (uint32_t i = 0; i < uses_.size(); ++i) {
        const Suppression& suppression = uses_[i].suppression;
        if (!suppression.pattern.empty() || uses_[i].is_expired) continue;
        by_frames_.push_back(i);
        numbers_of_patterns_.emplace_back();
        for (const FramePattern& pattern : suppression.frames) {
            const auto next = static_cast<uint32_t>(patterns_.size());
            const auto [at, is_new] = known.try_emplace({pattern.kind, pattern.text}, next);
            if (is_new) patterns_.push_back({pattern, demangled(pattern), {}, {}});
            numbers_of_patterns_.back().push_back(at->second);
        }
    }
    if (uses_.empty()) return;
    nodes_.resize(recording.symbols.nodes.size(), unknown);
    frames_.resize(recording.symbols.frames.size());
    own_frames_.resize(recording.symbols.frames.size());
}

Totals Suppressor::suppressed(const Space& space, const Site& site) {
    const bool has_kinds = was_searched_ && space.name == "host";
    Totals sum;
    uint8_t left = uses_.empty() ? kind_none : kinds_all;
    while (left != kind_none) {
        const uint32_t found = find(site.stack, left);
        if (found == none) break;
        SuppressionUse& use = uses_[found];
        const uint8_t taken = has_kinds ? use.suppression.kinds & left : left;
        if (taken == kind_none) break;
        const Totals part = part_of(site.totals, taken);
        add_saturating(use.blocks, part.live_blocks);
        add_saturating(use.bytes, part.live_bytes);
        add_saturating(use.held_blocks, part.held_blocks);
        add_saturating(use.held_bytes, part.held_bytes);
        add(sum, part);
        left = static_cast<uint8_t>(left & ~taken);
    }
    return sum;
}

uint32_t Suppressor::find(uint32_t stack, uint8_t kinds) {
    const First first = first_of(stack);
    uint32_t found = first.plain;
    if (first.sparing < found && !is_own(stack)) found = first.sparing;
    bool has_frames = false;
    for (size_t i = 0; i < by_frames_.size() && by_frames_[i] < found; ++i) {
        const Suppression& suppression = uses_[by_frames_[i]].suppression;
        if ((suppression.kinds & kinds) == 0) continue;
        if (suppression.spares_own_code && is_own(stack)) continue;
        if (!std::exchange(has_frames, true)) read_frames(stack);
        if (matches_frames(suppression, numbers_of_patterns_[i])) return by_frames_[i];
    }
    return found;
}

// Many frames are of one file or module.
const Suppressor::First& Suppressor::first_in(const std::string& text) {
    const auto [entry, is_new] = texts_.try_emplace(text);
    First& first = entry->second;
    if (!is_new || text.empty()) return first;
    for (uint32_t i = static_cast<uint32_t>(uses_.size()); i-- > 0;) {
        const Suppression& suppression = uses_[i].suppression;
        if (suppression.pattern.empty() || uses_[i].is_expired) continue;
        if (!matches_leak_pattern(suppression.pattern, text)) continue;
        (suppression.spares_own_code ? first.sparing : first.plain) = i;
    }
    return first;
}

void Suppressor::add_frame(First& first, FrameId id) {
    First& of_frame = frames_[id];
    if (!of_frame.known) {
        of_frame.known = true;
        const Frame& frame = recording_.symbols.frames[id];
        for (const std::string* text : {&frame.function, &frame.file, &frame.module}) {
            const First& of_text = first_in(*text);
            of_frame.plain = std::min(of_frame.plain, of_text.plain);
            of_frame.sparing = std::min(of_frame.sparing, of_text.sparing);
        }
    }
    first.plain = std::min(first.plain, of_frame.plain);
    first.sparing = std::min(first.sparing, of_frame.sparing);
}

// The suppressions that match first are few in number, however many nodes a dump has.
uint32_t Suppressor::number_of(const First& first) {
    const auto key = uint64_t{first.plain} << 32 | first.sparing;
    const auto [entry, is_new] = numbers_.try_emplace(key, static_cast<uint32_t>(firsts_.size()));
    if (is_new) firsts_.push_back(first);
    return entry->second;
}

Suppressor::First Suppressor::first_of(uint32_t stack) {
    std::vector<uint32_t> path;
    for (; stack != no_stack && stack < nodes_.size() && nodes_[stack] == unknown;
         stack = recording_.symbols.nodes.parent(stack)) {
        path.push_back(stack);
    }
    First first = stack != no_stack && stack < nodes_.size() ? firsts_[nodes_[stack]] : First{};
    for (; !path.empty(); path.pop_back()) {
        for (const FrameId id : recording_.symbols.frames_of(path.back())) add_frame(first, id);
        nodes_[path.back()] = number_of(first);
    }
    return first;
}

// True if the user's own code allocated. An import of a foreign module does not count as an action
// of the line that imports it.
bool Suppressor::is_own(uint32_t stack) {
    return own_paths_.of(stack, [&](bool is_called_by_own, FrameId id) {
        const Own own = own_of(id);
        return own == Own::no ? is_called_by_own : own == Own::yes;
    });
}

Suppressor::Own Suppressor::own_of(FrameId id) {
    Own& own = own_frames_[id];
    if (own != Own::unknown) return own;
    const Frame& frame = recording_.symbols.frames[id];
    if (frame.file.starts_with("<frozen importlib")) return own = Own::importing;
    return own = is_user_code(frame, recording_.code) ? Own::yes : Own::no;
}

void Suppressor::read_frames(uint32_t stack) {
    const Symbols& symbols = recording_.symbols;
    stack_.assign(1, allocating_function);
    symbols.walk(stack, [&](FrameId id) {
        const Frame& frame = symbols.frames[id];
        const bool native = frame.kind == FrameKind::native || frame.kind == FrameKind::inlined;
        const bool hook = stack_.size() == 1 && is_shim_module(frame.module);
        if (native && !hook) stack_.push_back(id);
    });
}

// Stacks share most of their frames, and suppressions many of their patterns.
bool Suppressor::fits(Pattern& pattern, FrameId id) const {
    const Symbols& symbols = recording_.symbols;
    if (id == allocating_function) return matches_one(pattern.pattern, id, symbols);
    if (pattern.known.empty()) {
        pattern.known.resize(symbols.frames.size());
        pattern.fits.resize(symbols.frames.size());
    }
    if (!pattern.known[id]) {
        pattern.known[id] = true;
        pattern.fits[id] = pattern.demangled ? *pattern.demangled == symbols.frames[id].function
                                             : matches_one(pattern.pattern, id, symbols);
    }
    return pattern.fits[id];
}

bool Suppressor::matches_frames(const Suppression& suppression,
                                const std::vector<uint32_t>& patterns) {
    // Valgrind has its own operator new, which does not call malloc.
    const bool is_new = stack_.size() > 1 &&
                        recording_.symbols.frames[stack_[1]].function.starts_with("operator new");
    const std::span<const FrameId> frames(stack_);
    return matches_all(
        suppression.frames, is_new ? frames.subspan(1) : frames,
        [&](size_t pattern, FrameId id) { return fits(patterns_[patterns[pattern]], id); });
}

}  // namespace memtrace::analyzer
