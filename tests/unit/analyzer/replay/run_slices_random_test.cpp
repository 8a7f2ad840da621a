// SPDX-License-Identifier: Apache-2.0
//
// Random runs, cut while they are replayed, against a reference that has all events and passes over
// them as often as it likes. It decides where the run ends as if it had read it to the end first,
// and counts what is held at the end of each slice, and who of those was born when, block by block.
#include <algorithm>
#include <map>
#include <random>

#include "analyzer/replay/step_marks.h"
#include "analyzer/replay/work_end.h"
#include "tests/tools/repetitions.h"
#include "tests/tools/story.h"
#include "tests/unit/test.h"

using namespace memtrace;
using namespace memtrace::analyzer;
using namespace memtrace::test;

namespace {

// A heap block or a mapping. Mappings shrink page by page.
struct RunBlock {
    bool is_mapping = false;
    uint32_t stack = 0;
    uint64_t size = 0;
    uint64_t address = 0;
    uint64_t born = 0;
    uint64_t left = 0;                                 // bytes, during the run
    std::vector<std::pair<uint64_t, uint64_t>> given;  // times, and bytes given back then
};

struct RunMark {
    uint64_t time;
    MarkKind kind;
    std::string name;
};

struct RunEvent {
    uint64_t time;
    bool takes;
    bool is_heap;  // an acquisition in the heap
};

class RandomRun {
public:
    RandomRun(unsigned seed, bool with_marks, bool with_end)
        : random_(seed), dump_(DumpBuilder::Settings{}), with_marks_(with_marks) {
        for (uint32_t id = 1; id <= stacks; ++id) dump_.add(0, Node{.id = id, .address = id});
        const uint64_t ends = with_end ? 1 + below(3) : 0;
        for (uint64_t i = 0; i <= ends; ++i) {
            for (uint64_t part = 1 + below(6); part > 0; --part) work(below(3000), below(101));
            if (i == ends) break;
            if (below(3) != 0) work(below(4000), below(3));  // a stretch, mostly of releases
            end_work();
        }
    }

    Bytes bytes() { return dump_.bytes(); }
    const std::vector<RunBlock>& blocks() const { return blocks_; }
    const std::vector<RunMark>& marks() const { return marks_; }
    const std::vector<RunEvent>& events() const { return events_; }
    const std::vector<uint64_t>& ends() const { return ends_; }

    static constexpr uint32_t stacks = 7;

private:
    uint64_t below(uint64_t limit) { return limit == 0 ? 0 : random_() % limit; }

    void work(uint64_t count, uint64_t percent_acquired) {
        const uint64_t marks_each = 5 + below(200);
        for (uint64_t i = 0; i < count; ++i) {
            now_ += 2 + below(10);
            if (below(3000) == 0) now_ += 50'000;  // a pause
            if (with_marks_ && below(marks_each) == 0) mark();
            else if (below(100) < percent_acquired || live_.empty()) acquire();
            else release();
        }
    }

    void mark() {
        static const char* const names[] = {"step 1", "step 2", "iteration 7", "phase", "layer 3"};
        const std::string name = names[below(5) * below(2)];
        const MarkKind kind = below(2) == 0 ? MarkKind::begin : MarkKind::end;
        Mark record;
        record.time = now_;
        record.kind = kind;
        record.text = name;
        dump_.add(0, record);
        marks_.push_back({now_, kind, without_numbers(name)});
    }

    void acquire() {
        RunBlock block;
        block.is_mapping = below(20) == 0;
        block.stack = static_cast<uint32_t>(below(stacks + 1));
        block.size = block.is_mapping ? 4096 * (1 + below(4)) : below(500);
        block.address = next_address_;
        next_address_ += 0x10000;
        block.born = now_;
        block.left = block.size;
        if (block.is_mapping) {
            Map record;
            record.time = now_;
            record.stack = block.stack;
            record.size = block.size;
            record.address = block.address;
            dump_.add(0, record);
        } else {
            dump_.add(0, Acquire{now_, Api::malloc, block.stack, block.size, block.address});
        }
        events_.push_back({now_, true, !block.is_mapping});
        live_.push_back(blocks_.size());
        blocks_.push_back(block);
    }

    void release() {
        // New blocks go sooner than old ones.
        const size_t back = below(1 + below(live_.size()));
        const size_t place = live_.size() - 1 - back;
        RunBlock& block = blocks_[live_[place]];
        uint64_t bytes = block.left;
        if (block.is_mapping) {
            bytes = 4096;
            Unmap record;
            record.time = now_;
            record.address = block.address + block.size - block.left;
            record.size = bytes;
            dump_.add(0, record);
        } else {
            dump_.add(0, Release{now_, Api::free, block.address});
        }
        events_.push_back({now_, false, false});
        block.given.emplace_back(now_, bytes);
        block.left -= bytes;
        if (block.left == 0) live_.erase(live_.begin() + static_cast<ptrdiff_t>(place));
    }

    void end_work() {
        now_ += 2;
        WorkEnd record;
        record.time = now_;
        dump_.add(0, record);
        ends_.push_back(now_);
    }

    std::mt19937_64 random_;
    DumpBuilder dump_;
    bool with_marks_;
    uint64_t now_ = 100;
    uint64_t next_address_ = 0x100000;
    std::vector<RunBlock> blocks_;
    std::vector<size_t> live_;  // indices of blocks
    std::vector<RunMark> marks_;
    std::vector<RunEvent> events_;
    std::vector<uint64_t> ends_;
};

// ---- where the run ends -------------------------------------------------------------------------

struct EndOfRun {
    uint64_t time = 0;
    bool is_trimmed = false;
};

// Reads all events before `time`, and looks back from there.
EndOfRun look_back(const RandomRun& run, uint64_t time) {
    uint64_t releases = 0, acquisitions = 0, kept = 0, since = 0, last_taken = 0;
    for (const RunEvent& event : run.events()) {
        if (event.time >= time) break;
        (event.takes ? acquisitions : releases) += 1;
        if (!event.takes) {
            kept -= kept != 0;
            continue;
        }
        kept += 1;
        last_taken = event.time;
        const bool is_stretch =
            releases > 2 * acquisitions && acquisitions <= 16 + releases / 10 && kept <= 16;
        if (is_stretch) continue;
        since = event.time + 1;
        releases = acquisitions = kept = 0;
    }
    if (releases < 16 || releases <= 10 * acquisitions) return {time, false};
    const uint64_t whole = time - run.events().front().time;
    const bool goes_on = acquisitions > 0 && last_taken > since && last_taken - since > whole / 5;
    return goes_on ? EndOfRun{time, false} : EndOfRun{since, true};
}

EndOfRun end_of(const RandomRun& run) {
    WorkEndChoice choice;
    size_t next = 0;
    for (const uint64_t end : run.ends()) {
        for (; next < run.events().size() && run.events()[next].time < end; ++next) {
            if (run.events()[next].is_heap) choice.count_acquisition();
        }
        WorkEnd record;
        record.time = end;
        choice.take(record);
    }
    if (choice.time()) return look_back(run, *choice.time());
    uint64_t last = run.events().empty() ? 0 : run.events().back().time;
    if (!run.marks().empty()) last = std::max(last, run.marks().back().time);
    return {last + 1, false};
}

// ---- what the slices should be ------------------------------------------------------------------

// Of the marks up to the end. Empty: no mark is a step.
std::string step_of(const RandomRun& run, uint64_t end) {
    std::map<std::string, size_t> begins;
    for (const RunMark& mark : run.marks()) {
        if (mark.time <= end && mark.kind != MarkKind::end) begins[mark.name] += 1;
    }
    std::string best;
    const auto worth = [&](const std::string& name) {
        const bool says = name == "step #" || name == "iteration #";
        return std::pair(says, begins[name]);
    };
    for (const auto& [name, count] : begins) {
        if (count >= 10 && (best.empty() || worth(name) > worth(best))) best = name;
    }
    return best;
}

std::vector<uint64_t> step_ends(const RandomRun& run, const std::string& step, uint64_t end) {
    std::vector<uint64_t> ends;
    uint64_t last_end = 0;
    for (const RunMark& mark : run.marks()) {
        if (mark.name != step || mark.time > end) continue;
        if (mark.kind == MarkKind::end) last_end = mark.time;
        else ends.push_back(mark.time);
    }
    if (!ends.empty() && last_end > ends.back()) ends.push_back(last_end);
    return ends;
}

// ---- what was held, and born when ---------------------------------------------------------------

struct Held {
    uint64_t bytes = 0;
    uint64_t blocks = 0;
    uint64_t allocations = 0;
    bool operator==(const Held&) const = default;
};

uint64_t bytes_at(const RunBlock& block, uint64_t time) {
    uint64_t left = block.size;
    for (const auto& [when, bytes] : block.given) left -= when < time ? bytes : 0;
    return left;
}

bool is_alive(const RunBlock& block, uint64_t time) {
    if (block.born >= time) return false;
    // A heap block may have no bytes.
    if (!block.is_mapping) return block.given.empty() || block.given[0].first >= time;
    return bytes_at(block, time) > 0;
}

void check_space(const RandomRun& run, const Model& model, bool mappings) {
    const Space* space = space_named(model, mappings ? "mmap" : "host");
    if (space == nullptr) return;
    const std::vector<RunSlice>& slices = model.slices.slices;
    REQUIRE(space->histories.size() == space->sites.size());
    for (uint32_t site = 0; site <= space->sites.size(); ++site) {
        const bool is_whole = site == space->sites.size();
        const SiteHistory history = is_whole ? space->history : space->histories[site];
        std::vector<Held> held(slices.size()), born(slices.size());
        for (const RunBlock& block : run.blocks()) {
            if (block.is_mapping != mappings) continue;
            if (!is_whole && block.stack != space->sites[site].stack) continue;
            for (size_t i = 0; i < slices.size(); ++i) {
                const uint64_t end = slices[i].end_ns;
                held[i].allocations += block.born < end;
                if (!is_alive(block, end)) continue;
                held[i].bytes += bytes_at(block, end);
                held[i].blocks += 1;
            }
            if (!is_alive(block, slices.back().end_ns)) continue;
            size_t slice = 0;
            while (slices[slice].end_ns <= block.born) ++slice;
            born[slice].bytes += bytes_at(block, slices.back().end_ns);
            born[slice].blocks += 1;
        }
        size_t next_held = 0, next_born = 0;
        Held now;
        for (uint32_t i = 0; i < slices.size(); ++i) {
            if (next_held < history.held.size() && history.held[next_held].slice == i) {
                const HeldPoint& point = history.held[next_held++];
                now = {point.bytes, point.blocks, point.allocations};
            }
            REQUIRE(now == held[i]);
            Held births;
            if (next_born < history.born.size() && history.born[next_born].slice == i) {
                const BornPoint& point = history.born[next_born++];
                births = {point.bytes, point.blocks, 0};
            }
            REQUIRE(births == born[i]);
        }
        REQUIRE(next_held == history.held.size());
        REQUIRE(next_born == history.born.size());
    }
}

// Returns how the run was cut, to show that all ways occur.
std::string check(unsigned seed, bool with_marks, bool with_end) {
    INFO("seed " << seed << ", marks " << with_marks << ", ends " << with_end);
    RandomRun run(seed, with_marks, with_end);
    const TempFile file(run.bytes());
    LoadOptions options;
    options.slices.emplace();
    const Model model = load_dump(file.path(), {}, options);
    const EndOfRun end = end_of(run);
    const std::string step = step_of(run, end.time);
    CHECK(model.slices.step == step);
    const std::vector<RunSlice>& slices = model.slices.slices;
    uint64_t events = 0, steps = 0;
    for (const RunSlice& slice : slices) {
        events += slice.events;
        steps += slice.steps;
    }
    CHECK(slices.size() <= 120);
    if (slices.empty()) {
        CHECK((run.events().empty() || run.events()[0].time >= end.time));
        return "nothing";
    }
    if (step.empty()) {
        CHECK(slices.back().end_ns == end.time);
        CHECK(model.slices.is_trimmed == end.is_trimmed);
    } else {
        const std::vector<uint64_t> ends = step_ends(run, step, end.time);
        CHECK(slices.back().end_ns == ends.back());
        CHECK(steps == ends.size() - 1);
        const size_t each = (ends.size() + 118) / 119;
        for (size_t i = 0; i < slices.size() && ends.size() < 480; ++i) {
            CHECK(slices[i].end_ns == ends[std::min(i * each, ends.size() - 1)]);
        }
    }
    const auto before_end =
        std::count_if(run.events().begin(), run.events().end(),
                      [&](const RunEvent& event) { return event.time < slices.back().end_ns; });
    CHECK(events == static_cast<uint64_t>(before_end));
    check_space(run, model, false);
    check_space(run, model, true);
    return std::string(step.empty() ? "by time" : "by steps") +
           (end.is_trimmed ? ", trimmed" : "") + (run.ends().size() > 1 ? ", more ends" : "");
}

}  // namespace

TEST_CASE("one pass finds what many passes find") {
    std::map<std::string, int> ways;
    constexpr unsigned all = 20, seeds = std::max(memtrace::test::repetitions(all), 6u);
    for (unsigned seed = 0; seed < seeds; ++seed) {
        for (const bool with_marks : {false, true}) {
            for (const bool with_end : {false, true}) {
                ways[check(seed, with_marks, with_end)] += 1;
            }
        }
    }
    if (seeds < all) return;  // Fewer seeds do not meet all ways.
    for (const char* way : {"by time", "by steps", "by time, trimmed", "by steps, trimmed",
                            "by time, trimmed, more ends", "by steps, trimmed, more ends"}) {
        INFO(way);
        CHECK(ways[way] > 0);
    }
}
