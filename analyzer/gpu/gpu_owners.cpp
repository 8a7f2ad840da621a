// SPDX-License-Identifier: Apache-2.0
#include "analyzer/gpu/gpu_owners.h"

#include <array>

#include "analyzer/base/paths.h"

namespace memtrace::analyzer {
namespace {

enum class Where : uint8_t { file, path };

struct Row {
    Where where;
    std::string_view text;
    GpuRole role;
    const char* name;
};

constexpr auto rows = std::to_array<Row>({
#define MEMTRACE_GPU_OWNER(where, text, role, name) {Where::where, text, GpuRole::role, name},
#include "analyzer/gpu/gpu_owners.def"
});

}  // namespace

GpuOwner owner_of_file(std::string_view path) {
    const std::string file = base_name(path);
    if (file.empty()) return {};
    for (const Row& row : rows) {
        const bool fits = row.where == Where::file ? file.starts_with(row.text)
                                                   : path.find(row.text) != path.npos;
        if (fits) return {row.role, row.name};
    }
    return {GpuRole::other, file};
}

bool GpuOwners::find(uint32_t module, GpuOwner& owner) {
    auto known = of_modules_.find(module);
    if (known == of_modules_.end()) {
        const auto info = modules_.find(module);
        if (info == modules_.end()) return false;
        known = of_modules_.emplace(module, owner_of_file(info->second.path)).first;
    }
    const GpuRole role = known->second.role;
    if (role == GpuRole::carrier || role == GpuRole::unknown) return false;
    owner = known->second;
    return true;
}

}  // namespace memtrace::analyzer
