// SPDX-License-Identifier: Apache-2.0
#include "analyzer/phases/phase_borders.h"

#include <string>

#include "tests/unit/test.h"

using memtrace::Mark;
using memtrace::MarkKind;
using namespace memtrace::analyzer;

namespace {

class Borders {
public:
    bool takes(MarkKind kind, const std::string& name) {
        Mark mark;
        mark.kind = kind;
        mark.text = name;
        const bool is_cut = borders_.takes(mark);
        if (is_cut) borders_.add(next_++);
        return is_cut;
    }
    bool phase(const std::string& name) {
        const bool begin = takes(MarkKind::begin, name);
        return takes(MarkKind::end, name) && begin;
    }
    size_t count() const {
        std::vector<uint32_t> cuts;
        borders_.append_cuts(cuts);
        return cuts.size();
    }

private:
    PhaseBorders borders_;
    uint32_t next_ = 1;
};

}  // namespace

TEST_CASE("phase borders: of few phases, each begin and each end") {
    Borders borders;
    CHECK(borders.phase("load"));
    CHECK(borders.phase("train 1"));
    CHECK(borders.phase("train 2"));
    CHECK_FALSE(borders.takes(MarkKind::mark, "point"));
    CHECK(borders.count() == 6);
}

TEST_CASE("phase borders: steps have none, and the phase around them keeps its own") {
    Borders borders;
    CHECK(borders.takes(MarkKind::begin, "train"));
    for (int i = 0; i < 5000; ++i) borders.phase("step " + std::to_string(i));
    CHECK(borders.takes(MarkKind::end, "train"));
    CHECK_FALSE(borders.phase("step 5000"));
    CHECK(borders.phase("save"));
    CHECK(borders.count() == 4);
}

TEST_CASE("phase borders: many groups are limited, the largest first") {
    Borders borders;
    for (const char* const name : {"a ", "b ", "c ", "d "}) {
        for (int i = 0; i < 15; ++i) borders.phase(name + std::to_string(i));
        CHECK(borders.count() <= PhaseBorders::borders_max);
    }
    CHECK(borders.count() >= 60);
    CHECK(borders.phase("last"));
    Borders single;
    for (char first = 'a'; first <= 'z'; ++first) {
        for (char second = 'a'; second <= 'z'; ++second) {
            single.phase(std::string{first, second});
            CHECK(single.count() <= PhaseBorders::borders_max);
        }
    }
    CHECK(single.count() == PhaseBorders::borders_max);
}
