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

// What a set meets of a model, in bytes and in sizes, against what the model has.
bool is_half(uint64_t met, uint64_t all, size_t sizes_met, size_t sizes) {
    return sizes_met > 0 && met * 2 >= all && sizes_met * 2 >= sizes;
}

}  // namespace

ModelShape::ModelShape(NumberBySize sizes) : sizes_(std::move(sizes)) {
    std::erase_if(sizes_, [](const auto& entry) { return entry.second <= 0; });
    for (const auto& [bytes, number] : sizes_) {
        size_.bytes += bytes * static_cast<uint64_t>(number);
        size_.tensors += static_cast<uint64_t>(number);
    }
}

uint64_t in_precision(uint64_t bytes, Precision precision) {
    switch (precision) {
        case Precision::half: return bytes / 2;
        case Precision::twice: return bytes * 2;
        default: return bytes;
    }
}

bool ModelShape::contains(uint64_t bytes, Precision precision) const {
    switch (precision) {
        case Precision::half: return sizes_.contains(bytes * 2) || sizes_.contains(bytes * 2 + 1);
        case Precision::twice: return bytes % 2 == 0 && sizes_.contains(bytes / 2);
        default: return sizes_.contains(bytes);
    }
}

bool ModelShape::is_met_by(const NumberBySize& set, Precision precision) const {
    uint64_t met = 0;
    size_t sizes_met = 0;
    for (const auto& [bytes, number] : sizes_) {
        const auto found = set.find(in_precision(bytes, precision));
        if (found == set.end()) continue;
        met += bytes * static_cast<uint64_t>(std::min(number, found->second));
        sizes_met += 1;
    }
    return is_half(met, size_.bytes, sizes_met, sizes_.size());
}

ChangingSet::ChangingSet(const ModelShape& model, Precision precision) {
    for (const auto& [bytes, number] : model.sizes()) {
        const uint64_t scaled = in_precision(bytes, precision);
        numbers_[scaled].of_model += number;
        all_ += scaled * static_cast<uint64_t>(number);
    }
}

void ChangingSet::add(uint64_t bytes) {
    Number& number = numbers_.at(bytes);
    if (number.now == 0) sizes_met_ += 1;
    if (number.now < number.of_model) met_ += bytes;
    number.now += 1;
}

void ChangingSet::remove(uint64_t bytes) {
    Number& number = numbers_.at(bytes);
    number.now -= 1;
    if (number.now < number.of_model) met_ -= bytes;
    if (number.now == 0) sizes_met_ -= 1;
}

uint64_t ChangingSet::met() const {
    return is_half(met_, all_, sizes_met_, numbers_.size()) ? met_ : 0;
}

bool has_whole_model(uint64_t bytes, const ModelSize& model) {
    const uint64_t padding = padding_all + padding_each * model.tensors;
    return model.bytes >= whole_min &&
           std::any_of(precisions.begin(), precisions.end(), [=](Precision precision) {
               const uint64_t all = in_precision(model.bytes, precision);
               return bytes + padding_all >= all && bytes <= all + padding;
           });
}

}  // namespace memtrace::analyzer
