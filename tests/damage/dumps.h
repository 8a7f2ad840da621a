// SPDX-License-Identifier: Apache-2.0
//
// The dumps that get damaged. Each lane uses a stack of its own, so the other lanes can be checked
// by comparing sites. `half_written` are the bytes that may contain anything after the death of
// the process, so that damage to them cannot be recognised.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "tests/tools/story.h"

namespace memtrace::test {

struct Extent {
    uint64_t begin;
    uint64_t end;
};

struct Victim {
    std::string name;
    Bytes bytes;
    std::vector<DumpBuilder::Place> places;
    std::vector<Extent> half_written;

    bool is_half_written(uint64_t at) const {
        for (const Extent& extent : half_written) {
            if (at >= extent.begin && at < extent.end) return true;
        }
        return false;
    }
};

constexpr uint32_t victim_lanes = 4;

// Lanes 0 to 3 acquire and release, each with stack lane + 1. Lane 0 defines the stacks.
inline void fill(DumpBuilder& dump, unsigned seed, int events) {
    std::mt19937 random(seed);
    dump.add(lane_none, Process{0, 4711, 1, 0, "/bin/program", "program"});
    dump.add(lane_none, Clock{0, 1000, 5000});
    for (uint32_t id = 1; id <= victim_lanes; ++id)
        dump.add(0, Node{0, id, 0, 0, NodeKind::native, 0x40 * id});
    dump.add(0, PythonStatus{1, PythonState::on, 0x030b07f0, {}});
    dump.add(0, PythonCode{2, 1, PythonLinesFormat::locations, 40, "step", 1, "train.py", 1});
    dump.add(0, PythonLines{3, 1, 0, std::string(300, '\xf8'), 0});
    dump.end_chunk(0);
    for (uint32_t lane = 0; lane < victim_lanes; ++lane) dump.add(lane, ThreadStart{5, 100 + lane});
    std::vector<uint64_t> live[victim_lanes];
    for (int i = 0; i < events; ++i) {
        const auto lane = static_cast<uint32_t>(random() % victim_lanes);
        const auto time = static_cast<uint64_t>(10 + i * 3);
        if (i < static_cast<int>(victim_lanes) * 20 || live[lane].empty() || random() % 5 < 3) {
            const uint64_t address = (lane + 1) * 0x100000000 + static_cast<uint64_t>(i) * 64;
            live[lane].push_back(address);
            dump.add(lane, Acquire{time, Api::malloc, lane + 1, random() % 60, address});
        } else if (random() % 10 == 0) {
            dump.add(lane, Note{time, "subject", "a record that takes several slots of a ring"});
            const auto code = static_cast<uint32_t>(i + 2);
            dump.add(lane, PythonCode{time, code, PythonLinesFormat::ranges, 7, "f", 1, "f.py", 1});
            dump.add(lane, PythonLines{time, code, 0, "\x02\x01\x04\xff", 4});
        } else {
            dump.add(lane, Release{time, Api::free, live[lane].back()});
            live[lane].pop_back();
        }
    }
}

// Ends the threads, and then the program.
inline void end(DumpBuilder& dump) {
    for (uint32_t lane = 1; lane < victim_lanes; ++lane) dump.add(lane, ThreadEnd{100'000});
    dump.add(0, End{100'001, EndKind::exit, 0});
}

// Adds the two words that each thread would write first into its next slot. A killed process may
// have been killed there.
inline Victim make_victim(const std::string& name, DumpBuilder& dump) {
    Victim victim{name, dump.bytes(), dump.places(), {}};
    if (dump.settings.state == State::ended) return victim;
    for (uint32_t lane = 0; lane < victim_lanes; ++lane) {
        const uint64_t at = dump.slot_offset(lane, dump.head(lane));
        victim.half_written.push_back({at + sizeof(uint64_t), at + slot_bytes});
    }
    return victim;
}

inline std::vector<Victim> make_victims(unsigned seed) {
    std::vector<Victim> victims;
    DumpBuilder::Settings settings;
    {
        settings.state = State::ended;
        settings.ring_slots = 32;
        DumpBuilder dump(settings);
        fill(dump, seed, 1500);
        end(dump);
        for (uint32_t lane = 0; lane < victim_lanes; ++lane) dump.end_chunk(lane);
        victims.push_back(make_victim("ended", dump));
    }
    {
        settings.ring_slots = 128;
        settings.packing = Packing::none;
        DumpBuilder dump(settings);
        fill(dump, seed + 1, 1500);
        end(dump);
        victims.push_back(make_victim("ended with events in rings", dump));
    }
    settings.state = State::recording;
    settings.packing = Packing::zstd;
    {
        DumpBuilder dump(settings);
        fill(dump, seed + 2, 1000);
        victims.push_back(make_victim("running", dump));
    }
    {
        settings.ring_slots = 64;
        settings.packing = Packing::none;
        DumpBuilder dump(settings);
        fill(dump, seed + 3, 1200);
        const uint64_t tail = dump.tail(0);
        const uint64_t head = dump.head(0);
        dump.die_while_emptying(0);
        const DumpBuilder::Place emptied = dump.places().back();
        const Note note{100000, "subject",
                        "a text that needs a few slots to be written down in full"};
        dump.die_while_writing_record(1, note, 3);
        dump.die_while_writing_record(2, Acquire{100000, Api::malloc, 3, 100, 0x70}, 1);
        const uint64_t torn = dump.end();
        dump.die_while_writing_chunk(3, 90);
        Victim victim = make_victim("killed", dump);
        // The chunk with slots that are still in the ring, and these slots.
        victim.half_written.push_back({emptied.offset, emptied.end});
        for (uint64_t slot = tail; slot < head; ++slot) {
            victim.half_written.push_back(
                {dump.slot_offset(0, slot), dump.slot_offset(0, slot) + slot_bytes});
        }
        // The first slots of records that were never finished, and the chunk without a header.
        for (const auto& [lane, slots] : {std::pair{1u, 3u}, {2u, 1u}}) {
            for (uint64_t i = 0; i < slots; ++i) {
                const uint64_t at = dump.slot_offset(lane, dump.head(lane) + i);
                victim.half_written.push_back({at, at + slot_bytes});
            }
        }
        victim.half_written.push_back({torn, dump.end()});
        victims.push_back(victim);
    }
    return victims;
}

}  // namespace memtrace::test
