// SPDX-License-Identifier: Apache-2.0
#include "analyzer/kinds/model_shape.h"

#include <algorithm>
#include <utility>

namespace memtrace::analyzer {
namespace {

// A tensor with all parameters may have so much more for each of them, because each begins at a
// round place, or less, because not all that a module makes is learned.
constexpr uint64_t padding_each = 256, padding_all = 512;
// A smaller model could have the size of a batch by chance.
constexpr uint64_t whole_min = 16 << 10;
// Of the bytes of a model, in tenths: a set that has so many is no chance.
constexpr uint64_t most = 9;
// Rounding changes a size of so many grains by less than two hundredths.
constexpr uint64_t telling_grains = 64;

// What a set meets of a model, in bytes and in sizes, against what the model has.
bool is_part(uint64_t met, uint64_t all, size_t sizes_met, size_t sizes, uint64_t tenths) {
    return sizes_met > 0 && met * 10 >= all * tenths && sizes_met * 2 >= sizes;
}

// Returns the size that a tensor of this size has in half of the precision. Of what was rounded up,
// two neighbours have the same half.
uint64_t halved(uint64_t bytes, uint64_t grain) { return (bytes / 2 + grain - 1) / grain * grain; }

// Returns the same for all sizes that a tensor and its copy in that precision can have: `bytes` is
// that of the tensor, or that of the copy.
uint64_t key_of_tensor(uint64_t bytes, Precision precision, uint64_t grain) {
    return precision == Precision::half ? halved(bytes, grain) : bytes;
}
uint64_t key_of_copy(uint64_t bytes, Precision precision, uint64_t grain) {
    return precision == Precision::twice ? halved(bytes, grain) : bytes;
}

}  // namespace

ModelShape::ModelShape(NumberBySize sizes, uint64_t grain) : sizes_(std::move(sizes)) {
    size_.grain = grain;
    std::erase_if(sizes_, [](const auto& entry) { return entry.second <= 0; });
    for (const auto& [bytes, number] : sizes_) {
        size_.bytes += bytes * static_cast<uint64_t>(number);
        size_.tensors += static_cast<uint64_t>(number);
    }
}

bool ModelShape::contains(uint64_t bytes, Precision precision) const {
    const uint64_t grain = size_.grain;
    switch (precision) {
        case Precision::half:
            return sizes_.contains(bytes * 2) ||
                   sizes_.contains(grain == 1 ? bytes * 2 + 1 : bytes * 2 - grain);
        case Precision::twice:
            return bytes % 2 == 0 && sizes_.contains(key_of_copy(bytes, precision, grain));
        default: return sizes_.contains(bytes);
    }
}

ChangingSet ModelShape::set_of(const NumberBySize& tensors, Precision precision) const {
    ChangingSet set(*this, precision);
    for (const auto& [bytes, number] : tensors) {
        if (!set.has_place_for(bytes)) continue;
        for (int64_t i = 0; i < std::min(number, set.places_for(bytes)); ++i) set.add(bytes);
    }
    return set;
}

bool ModelShape::is_met_by(const NumberBySize& set, Precision precision, uint64_t tenths) const {
    return set_of(set, precision).met(tenths) != 0;
}

bool ModelShape::is_surely_met_by(const NumberBySize& set, Precision precision) const {
    if (!is_met_by(set, precision)) return false;
    if (size_.grain == 1 || is_met_by(set, precision, most)) return true;
    NumberBySize telling = set;
    std::erase_if(telling,
                  [this](const auto& entry) { return entry.first < telling_grains * size_.grain; });
    return set_of(telling, precision).met_in_some_sizes() != 0;
}

ChangingSet::ChangingSet(const ModelShape& model, Precision precision)
    : precision_(precision), grain_(model.size().grain) {
    for (const auto& [bytes, number] : model.sizes()) {
        const uint64_t key = key_of_tensor(bytes, precision, grain_);
        numbers_[key].of_model += number;
        all_ += key * static_cast<uint64_t>(number);
    }
}

uint64_t ChangingSet::key_of(uint64_t bytes) const {
    // No tensor has a copy of an odd size in twice the precision.
    const bool is_none = precision_ == Precision::twice && bytes % 2 != 0;
    return is_none ? UINT64_MAX : key_of_copy(bytes, precision_, grain_);
}

void ChangingSet::add(uint64_t bytes) {
    const uint64_t key = key_of(bytes);
    Number& number = numbers_.at(key);
    if (number.now == 0) sizes_met_ += 1;
    if (number.now < number.of_model) met_ += key;
    number.now += 1;
}

void ChangingSet::remove(uint64_t bytes) {
    const uint64_t key = key_of(bytes);
    Number& number = numbers_.at(key);
    number.now -= 1;
    if (number.now < number.of_model) met_ -= key;
    if (number.now == 0) sizes_met_ -= 1;
}

uint64_t ChangingSet::met(uint64_t tenths) const {
    return is_part(met_, all_, sizes_met_, numbers_.size(), tenths) ? met_ : 0;
}

uint64_t ChangingSet::met_in_some_sizes() const { return met_ * 2 >= all_ ? met_ : 0; }

bool has_whole_model(uint64_t bytes, const ModelSize& model, bool is_padded) {
    const uint64_t padding = is_padded ? padding_all + padding_each * model.tensors : 0;
    const uint64_t less = is_padded ? padding_all : 0;
    return model.bytes >= whole_min &&
           std::any_of(precisions.begin(), precisions.end(), [=](Precision precision) {
               uint64_t all = model.bytes, rounded = (model.grain - 1) * model.tensors;
               if (precision == Precision::half) all /= 2, rounded /= 2;
               if (precision == Precision::twice) all *= 2, rounded *= 2;
               return bytes + less + rounded >= all && bytes <= all + padding;
           });
}

}  // namespace memtrace::analyzer
