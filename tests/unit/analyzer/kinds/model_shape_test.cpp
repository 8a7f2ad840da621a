// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/model_shape.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("model_shape: a set meets a model by half of its bytes and half of its sizes") {
    const ModelShape model({{1000, 2}, {100, 1}, {10, 4}, {7, 0}});
    CHECK(model.size().bytes == 2140);
    CHECK(model.size().tensors == 7);
    CHECK_FALSE(model.contains(7));
    CHECK(model.is_met_by({{1000, 2}, {10, 1}}));
    CHECK_FALSE(model.is_met_by({{1000, 2}}));          // one size of three
    CHECK_FALSE(model.is_met_by({{100, 1}, {10, 4}}));  // few bytes
    CHECK_FALSE(model.is_met_by({}));
    CHECK_FALSE(ModelShape().is_met_by({{1000, 2}}));
}

TEST_CASE("model_shape: copies in another precision are half or twice as large") {
    const ModelShape model({{1000, 2}, {100, 1}});
    const NumberBySize floats{{2000, 2}, {200, 1}};
    CHECK(model.is_met_by(floats, Precision::twice));
    CHECK_FALSE(model.is_met_by(floats));
    CHECK(ModelShape(floats).is_met_by(model.sizes(), Precision::half));
}

TEST_CASE("model_shape: a whole model may be padded, and a small one may be chance") {
    const ModelSize model{1'000'000, 20};
    CHECK(has_whole_model(1'000'000, model));
    CHECK(has_whole_model(999'900, model));
    CHECK(has_whole_model(2'005'000, model));
    CHECK(has_whole_model(500'000, model));
    CHECK_FALSE(has_whole_model(1'010'000, model));
    CHECK_FALSE(has_whole_model(300'000, model));
    CHECK_FALSE(has_whole_model(1000, {1000, 2}));
    CHECK_FALSE(has_whole_model(0, {}));
}

TEST_CASE("model_shape: a set that changes knows what it meets now") {
    const ModelShape model({{1000, 1}, {100, 1}});
    ChangingSet set(model, Precision::same);
    CHECK_FALSE(set.has_place_for(50));
    set.add(100);
    CHECK(set.met() == 0);
    set.add(1000);
    set.add(1000);  // there is no place for a second one
    CHECK(set.met() == 1100);
    set.remove(1000);
    CHECK(set.met() == 1100);
    set.remove(1000);
    CHECK(set.met() == 0);
}

TEST_CASE("model_shape: sizes that an allocator rounded up still have their halves") {
    // 300, 600 and 5,000 bytes in half precision, 600, 1,200 and 10,000 in the full one.
    const ModelShape half({{512, 1}, {1024, 1}, {5120, 1}}, device_grain);
    const ModelShape full({{1024, 1}, {1536, 1}, {10240, 1}}, device_grain);
    CHECK(half.is_met_by(full.sizes(), Precision::twice));
    CHECK(full.is_met_by(half.sizes(), Precision::half));
    CHECK_FALSE(half.is_met_by({{10240, 1}}, Precision::twice));               // one size of three
    CHECK_FALSE(half.is_met_by({{1024, 1}, {1536, 1}}, Precision::twice, 9));  // few bytes
}

TEST_CASE(
    "model_shape: of rounded sizes, the large ones tell a set, and the small ones only together") {
    const NumberBySize sizes{{512, 8}, {1024, 8}, {40960, 1}, {81920, 1}};
    const NumberBySize large{{40960, 1}, {81920, 1}}, small{{512, 8}, {1024, 8}};
    const ModelShape model(sizes, device_grain);
    CHECK(model.is_surely_met_by(sizes));
    CHECK(model.is_surely_met_by(large));
    CHECK_FALSE(model.is_surely_met_by(small));

    const NumberBySize even{{512, 1}, {1024, 1}, {8192, 1}, {16384, 1}};
    CHECK(ModelShape(even, device_grain).is_surely_met_by(even));
    CHECK_FALSE(ModelShape(even, device_grain).is_surely_met_by({{16384, 1}, {1024, 1}}));
    CHECK(ModelShape(even).is_surely_met_by({{16384, 1}, {1024, 1}}));  // sizes as they are
}

TEST_CASE("model_shape: one tensor may have all that was rounded up in pieces") {
    ModelSize model{100 * 1024, 100, device_grain};
    CHECK(has_whole_model(100 * 900, model));
    model.grain = 1;
    CHECK_FALSE(has_whole_model(100 * 900, model));
}
