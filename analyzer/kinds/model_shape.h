// SPDX-License-Identifier: Apache-2.0
//
// The sizes of what a model learns, and sets of tensors that have these sizes: gradients, states of
// an optimiser, averages, and copies in another precision, whose sizes are half or twice as large.
// A set may also be one tensor with all of it, one parameter after the other.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analyzer/model/tensor_lives.h"

namespace memtrace::analyzer {

using NumberBySize = std::unordered_map<uint64_t, int64_t>;

// How many times larger the elements of a copy are, as a power of two.
enum class Precision : int8_t { half = -1, same = 0, twice = 1 };
inline constexpr std::array precisions{Precision::same, Precision::twice, Precision::half};

// PyTorch's caching allocator rounds sizes up to this many bytes.
inline constexpr uint64_t device_grain = 512;

// What the parameters of a model take together, in sizes that are rounded up to `grain` bytes.
struct ModelSize {
    uint64_t bytes = 0;
    uint64_t tensors = 0;
    uint64_t grain = 1;
};

class ChangingSet;

class ModelShape {
public:
    ModelShape() = default;
    // `sizes`: number of tensors of each size, in bytes, rounded up to `grain` bytes.
    explicit ModelShape(NumberBySize sizes, uint64_t grain = 1);

    bool empty() const { return sizes_.empty(); }
    const NumberBySize& sizes() const { return sizes_; }
    const ModelSize& size() const { return size_; }

    // True if the model has tensors that have this size in that precision.
    bool contains(uint64_t bytes, Precision precision = Precision::same) const;
    // True if at least so many tenths of the model's bytes, and half of its sizes, are among these.
    bool is_met_by(const NumberBySize& set, Precision precision = Precision::same,
                   uint64_t tenths = half) const;
    static constexpr uint64_t half = 5;
    // The same of half of the bytes. If sizes are rounded up, data may have small ones by chance,
    // so half of the bytes must be in larger ones, or nine tenths in any.
    bool is_surely_met_by(const NumberBySize& set, Precision precision = Precision::same) const;

private:
    ChangingSet set_of(const NumberBySize& tensors, Precision precision) const;

    NumberBySize sizes_;
    ModelSize size_;
};

// True if a tensor of so many bytes has room for the whole model, in some precision, and neither
// much more nor much less. `is_padded`: false if it has to be exactly that.
bool has_whole_model(uint64_t bytes, const ModelSize& model, bool is_padded = true);

// A set whose tensors come and go.
class ChangingSet {
public:
    ChangingSet(const ModelShape& model, Precision precision);

    // Returns how many tensors of this size the model has in that precision.
    int64_t places_for(uint64_t bytes) const {
        const auto found = numbers_.find(key_of(bytes));
        return found == numbers_.end() ? 0 : found->second.of_model;
    }
    bool has_place_for(uint64_t bytes) const { return numbers_.contains(key_of(bytes)); }
    // Both only of sizes that have a place.
    void add(uint64_t bytes);
    void remove(uint64_t bytes);

    // Bytes of the model that the set meets now; 0: less than ModelShape::is_met_by() asks for.
    uint64_t met(uint64_t tenths = ModelShape::half) const;
    // The same, if they are half of the bytes, whatever the number of their sizes is.
    uint64_t met_in_some_sizes() const;

private:
    struct Number {
        int64_t of_model = 0;
        int64_t now = 0;
    };

    uint64_t key_of(uint64_t bytes) const;

    Precision precision_;
    uint64_t grain_;
    size_t sizes_met_ = 0;
    uint64_t met_ = 0, all_ = 0;
    std::unordered_map<uint64_t, Number> numbers_;  // by what the size is in the smaller precision
};

// The sizes that tensors have at once.
class AliveAtOnce {
public:
    explicit AliveAtOnce(uint64_t grain) { size_.grain = grain; }

    // Lives come in the order of their births.
    void add(const TensorLife& life) {
        go_to(life.born);
        int64_t& number = now_[life.bytes];
        int64_t& most = most_[life.bytes];
        most = std::max(most, ++number);
        size_.bytes += life.bytes;
        size_.tensors += 1;
        if (life.died != TensorLife::never) deaths_.emplace(life.died, life.bytes);
    }
    void go_to(uint64_t time) {
        for (; !deaths_.empty() && deaths_.top().first <= time; deaths_.pop()) {
            now_[deaths_.top().second] -= 1;
            size_.bytes -= deaths_.top().second;
            size_.tensors -= 1;
        }
    }
    const NumberBySize& now() const { return now_; }
    const NumberBySize& most() const { return most_; }
    const ModelSize& size() const { return size_; }

private:
    using Death = std::pair<uint64_t, uint64_t>;  // when, of how many bytes

    NumberBySize now_, most_;
    ModelSize size_;
    std::priority_queue<Death, std::vector<Death>, std::greater<>> deaths_;
};

}  // namespace memtrace::analyzer
