// SPDX-License-Identifier: Apache-2.0
//
// Writes a dump of any number of events, as a busy C++ program would leave it, without running one.
// scripts/measure/replay measures how fast memtrace-report reads it.
//
//   memtrace-big-dump FILE [events=N] [live=N] [stacks=N] [threads=N] [seed=N]
//
// Each thread takes turns of about a hundred events. Two of five acquisitions are freed at once;
// the others replace a block that was chosen at random, so the heap stays at `live` blocks. A
// twentieth of the blocks is freed by another thread. A few stacks make most of the requests, and
// each has its own size. Addresses are used again at once, as allocators do.
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "memtrace/dump/columns.h"
#include "memtrace/dump/format.h"
#include "memtrace/dump/hash.h"

namespace {

using namespace memtrace;

struct Wanted {
    uint64_t events = 10'000'000;
    uint64_t live = 1'000'000;
    uint64_t stacks = 20'000;
    uint64_t threads = 4;
    uint64_t seed = 1;
};

[[noreturn]] void fail(const std::string& sentence) {
    std::fprintf(stderr, "memtrace-big-dump: %s\n", sentence.c_str());
    std::exit(2);
}

class Random {
public:
    explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
    uint64_t next() {  // xorshift64*
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1d;
    }
    uint64_t below(uint64_t limit) { return (next() >> 32) * limit >> 32; }

private:
    uint64_t state_;
};

class File {
public:
    explicit File(const char* path) : file_(std::fopen(path, "we")) {
        if (file_ == nullptr) fail(std::string("cannot write ") + path);
        write(std::vector<uint8_t>(page_bytes));
    }
    void put(const std::vector<uint8_t>& section) {
        write(section);
        sections_ += 1;
    }
    void finish() {
        FileHeader header{};
        std::memcpy(header.magic, file_magic, sizeof header.magic);
        header.version = format_version;
        header.header_bytes = sizeof header;
        header.pid = 1;
        header.ticks_per_second = 150'000'000;
        header.checksum = hash_bytes(&header, header_checksum_offset);
        header.file_end = end_;
        header.lost_events_left = lost_events_whole;
        header.children = header.children.of(0);
        header.sections = header.sections.of(sections_);
        header.rings_and_process = header.rings_and_process.of(0);
        header.state = header.state.of(static_cast<uint32_t>(State::ended));
        std::rewind(file_);
        const bool is_fine = std::fwrite(&header, sizeof header, 1, file_) == 1;
        if (std::fclose(file_) != 0 || !is_fine) fail("disk full?");
    }
    uint64_t end() const { return end_; }

private:
    void write(const std::vector<uint8_t>& bytes) {
        if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail("disk full?");
        end_ += bytes.size();
    }

    std::FILE* file_;
    uint64_t end_ = 0;
    uint32_t sections_ = 0;
};

// One lane: its records are written as chunks of the size that a full ring of the shim gives.
class Lane {
public:
    static constexpr size_t records_max = 16384;

    Lane(uint32_t number, File& file)
        : number_(number),
          file_(file),
          pool_(ColumnWriter::pool_bytes(records_max)),
          columns_(pool_.data(), pool_.size(), records_max, *tables_) {}

    template <class Record>
    void add(const Record& record) {
        if (!columns_.has_room(0)) end_chunk();
        if (columns_.record_count() == 0) first_time_ = record.time;
        last_time_ = record.time;
        columns_.add(record);
    }

    void end_chunk() {
        if (columns_.record_count() == 0) return;
        std::vector<uint8_t> raw(columns_.payload_bytes());
        raw.resize(columns_.write_payload(raw.data()));
        const size_t bound = ZSTD_compressBound(raw.size());
        std::vector<uint8_t> section(section_alignment + bound);
        uint8_t* const payload = section.data() + section_alignment;
        const size_t stored = ZSTD_compress(payload, bound, raw.data(), raw.size(), 1);
        StoredSectionHeader header{};
        header.header = {section_magic,
                         SectionKind::chunk,
                         Packing::zstd,
                         0,
                         static_cast<uint32_t>(stored),
                         static_cast<uint32_t>(raw.size()),
                         number_,
                         columns_.record_count(),
                         slots_,
                         columns_.record_count(),
                         static_cast<uint32_t>(hash_bytes(payload, stored)),
                         first_time_,
                         last_time_};
        header.checksum = hash_bytes(&header.header, sizeof header.header);
        std::memcpy(section.data(), &header, sizeof header);
        section.resize(section_alignment + stored);
        section.resize(align_section(section.size()));
        file_.put(section);
        slots_ += columns_.record_count();
        columns_.begin();
    }

private:
    uint32_t number_;
    File& file_;
    std::vector<uint8_t> pool_;
    std::unique_ptr<PredictorTables> tables_ = std::make_unique<PredictorTables>();
    ColumnWriter columns_;
    uint64_t slots_ = 0;
    uint64_t first_time_ = 0;
    uint64_t last_time_ = 0;
};

class Program {
public:
    Program(const Wanted& wanted, File& file) : wanted_(wanted), random_(wanted.seed) {
        for (uint32_t i = 0; i < wanted.threads; ++i)
            lanes_.push_back(std::make_unique<Lane>(i, file));
        heaps_.resize(wanted.threads);
        blocks_.reserve(wanted.live);
    }

    void run() {
        begin();
        while (events_ < wanted_.events) turn(random_.below(lanes_.size()));
        lanes_[0]->add(End{now_, EndKind::exit, 0});
        for (const auto& lane : lanes_) lane->end_chunk();
    }

private:
    static constexpr uint64_t classes = 32;  // sizes up to 512 bytes
    struct Block {
        uint64_t address;
        uint32_t size_class;
        uint32_t thread;
    };
    struct Heap {
        std::vector<uint64_t> free[classes];
        uint64_t next = 0;
    };

    uint64_t tick() { return now_ += 2 + random_.below(16); }

    void begin() {
        lanes_[0]->add(Module{0, 1, 0x400000, 0x4000000, 0, "/no/such/program", {}});
        for (uint32_t i = 0; i < lanes_.size(); ++i) {
            lanes_[i]->add(ThreadStart{0, 1 + i});
            heaps_[i].next = (i + uint64_t{1}) << 40;
        }
        // A tree: every node is called from one that is somewhat older, about 15 levels deep.
        for (uint32_t id = 1; id <= wanted_.stacks; ++id) {
            const uint32_t parent = id == 1 ? 0 : static_cast<uint32_t>(1 + random_.below(id / 2));
            const uint64_t address = 0x400000 + random_.below(0x3000000);
            lanes_[0]->add(Node{0, id, parent, 1, NodeKind::native, address});
        }
    }

    Block acquire(uint64_t thread) {
        // The third power of a random part: a tenth of the stacks makes half of the requests.
        const double part = static_cast<double>(random_.below(1 << 20)) / (1 << 20);
        const auto stacks = static_cast<double>(wanted_.stacks);
        const auto stack = static_cast<uint32_t>(1 + part * part * part * stacks);
        const uint32_t size_class = stack * 2654435761u % classes;
        Heap& heap = heaps_[thread];
        std::vector<uint64_t>& free = heap.free[size_class];
        uint64_t address = heap.next;
        if (free.empty()) {
            heap.next += 16 * (size_class + 2);
        } else {
            address = free.back();
            free.pop_back();
        }
        const uint64_t size = 16 * size_class + 8;
        lanes_[thread]->add(Acquire{tick(), Api::malloc, stack, size, address});
        events_ += 1;
        return {address, size_class, static_cast<uint32_t>(thread)};
    }

    void release(uint64_t thread, const Block& block) {
        lanes_[thread]->add(Release{tick(), Api::free, block.address});
        heaps_[block.thread].free[block.size_class].push_back(block.address);
        events_ += 1;
    }

    void turn(uint64_t thread) {
        for (int i = 0; i < 50 && events_ < wanted_.events; ++i) {
            const Block block = acquire(thread);
            if (random_.below(5) < 2) {
                release(thread, block);
            } else if (blocks_.size() < wanted_.live) {
                blocks_.push_back(block);
            } else {
                Block& old = blocks_[random_.below(blocks_.size())];
                const bool is_foreign = random_.below(20) == 0;
                release(is_foreign ? random_.below(lanes_.size()) : thread, old);
                old = block;
            }
        }
    }

    const Wanted wanted_;
    Random random_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::vector<Heap> heaps_;
    std::vector<Block> blocks_;
    uint64_t events_ = 0;
    uint64_t now_ = 0;
};

Wanted read_arguments(int argc, char** argv) {
    Wanted wanted;
    const std::pair<const char*, uint64_t*> names[] = {{"events", &wanted.events},
                                                       {"live", &wanted.live},
                                                       {"stacks", &wanted.stacks},
                                                       {"threads", &wanted.threads},
                                                       {"seed", &wanted.seed}};
    for (int i = 2; i < argc; ++i) {
        const std::string argument = argv[i];
        const size_t sign = argument.find('=');
        const auto known = std::find_if(std::begin(names), std::end(names), [&](const auto& name) {
            return argument.substr(0, sign) == name.first;
        });
        if (known == std::end(names) || sign == std::string::npos) fail("unknown: " + argument);
        *known->second = std::strtoull(argument.c_str() + sign + 1, nullptr, 10);
        if (*known->second == 0) fail(argument + ": that is no number above 0");
    }
    return wanted;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        fail("usage: memtrace-big-dump FILE [events=N] [live=N] [stacks=N] [threads=N] [seed=N]");
    }
    const Wanted wanted = read_arguments(argc, argv);
    File file(argv[1]);
    Program(wanted, file).run();
    file.finish();
}
