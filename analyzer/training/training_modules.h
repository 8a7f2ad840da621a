// SPDX-License-Identifier: Apache-2.0
//
// Which nn.Module the tensors of a call site belong to, told by the names of methods: Attention for
// a stack with Attention.forward or Attention.__init__, and for what goes backward through it. Of
// several, it is the innermost one that has other modules inside: a block, and not the Linear in
// it.
//
// Python names the class of a method since 3.11.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/model.h"
#include "analyzer/model/symbols.h"

namespace memtrace::analyzer {

struct ModuleClass {
    std::string name;
    std::string file;
};

class TrainingModules {
public:
    TrainingModules(const Model& model, const Symbols& symbols);

    const std::vector<ModuleClass>& classes() const { return classes_; }
    // False if methods have no classes in this dump, though functions go forward.
    bool has_names() const { return !classes_.empty() || !has_methods_; }
    // Returns the class of a site, by index of the space in the model and number of the site in the
    // replay. Nothing if no module is in its stack.
    std::optional<uint32_t> of(size_t space, uint32_t number) const;
    // Returns the class whose forward() or __init__() the frame is in.
    std::optional<uint32_t> class_of(FrameId frame) const;

private:
    static constexpr uint32_t none = 0xffffffff;

    std::vector<ModuleClass> classes_;
    std::vector<uint32_t> of_frames_;
    std::vector<std::vector<uint32_t>> of_numbers_;  // by space, by number
    bool has_methods_ = false;
};

}  // namespace memtrace::analyzer
