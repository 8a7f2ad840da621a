// SPDX-License-Identifier: Apache-2.0
#include "analyzer/arrays/array_sites.h"

#include <numeric>

#include "tests/unit/analyzer/sites/models.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

const std::string aligned = "tsl::port::AlignedMalloc(unsigned long, int)";
const std::string xla = "xla::MaybeOwningCpuMemory::Allocate(unsigned long)";

class Sites : public Story {
public:
    uint32_t add(const std::vector<std::string>& functions) {
        site("host", stack(functions), 1, 100);
        Space& host = space("host");
        host.numbers.resize(host.sites.size());
        std::iota(host.numbers.begin(), host.numbers.end(), 0u);
        return static_cast<uint32_t>(host.sites.size() - 1);
    }
    ArraySites find() const { return {recording.model, recording.symbols}; }
};

}  // namespace

TEST_CASE("array_sites: an array is memory of XLA's that a buffer asks for") {
    Sites story;
    const uint32_t array = story.add({aligned, xla, "py:f /home/me/train.py:3"});
    const uint32_t other = story.add({aligned, "xla::Something::Else()"});
    const uint32_t list = story.add({"malloc", "py:f /home/me/train.py:4"});
    const ArraySites sites = story.find();
    CHECK(sites.has_arrays());
    CHECK(sites.is_ordered());
    CHECK(sites.of(0, array) == ArrayOrigin::program);
    CHECK(sites.of(0, other) == ArrayOrigin::none);
    CHECK(sites.of(0, list) == ArrayOrigin::none);
    CHECK(sites.of(7, 0) == ArrayOrigin::none);
    const TensorRequest request = sites.request(story.recording.model);
    CHECK(request.sites.at("host")[array].is_tensor);
    CHECK_FALSE(request.sites.at("host")[other].is_tensor);
}

TEST_CASE("array_sites: the innermost library says where an array comes from") {
    Sites story;
    const std::string keras = "py:build /v/site-packages/keras/src/layers/core/dense.py:5";
    const std::string adam = "py:build /v/site-packages/keras/src/optimizers/adam.py:7";
    const uint32_t weight = story.add({aligned, xla, keras, adam});
    const uint32_t state = story.add({aligned, xla, adam, keras});
    const uint32_t made =
        story.add({aligned, xla, "py:array /v/jax/_src/numpy/array_constructors.py:1", keras});
    const uint32_t copied =
        story.add({aligned, xla, "xla::PjRtCpuClient::BufferFromHostBuffer(void*)", adam});
    const ArraySites sites = story.find();
    CHECK(sites.of(0, weight) == ArrayOrigin::layer);
    CHECK(sites.of(0, state) == ArrayOrigin::optimiser);
    CHECK(sites.of(0, made) == ArrayOrigin::host);
    CHECK(sites.of(0, copied) == ArrayOrigin::host);
}

TEST_CASE("array_sites: arenas of TensorFlow are counted, and are no arrays") {
    Sites story;
    story.add({aligned, "tsl::BFCAllocator::Extend(unsigned long)"});
    const ArraySites sites = story.find();
    CHECK_FALSE(sites.has_arrays());
    CHECK(sites.arena_bytes() == story.space("host").sites.totals(0).at_peak_bytes);
    CHECK(sites.arena_bytes() > 0);
}

TEST_CASE("array_sites: a program without XLA has none") {
    Sites story;
    story.add({"malloc", "py:f /home/me/train.py:4"});
    CHECK_FALSE(story.find().has_arrays());
    CHECK(story.find().arena_bytes() == 0);
}
