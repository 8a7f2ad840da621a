// SPDX-License-Identifier: Apache-2.0
#include "analyzer/symbolise/python_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "analyzer/base/enum_names.h"
#include "analyzer/symbolise/python_lines.h"

namespace memtrace::analyzer {

namespace {

std::string gap_name(PythonGap gap) {
    return fmt::format("[not known of Python: {}]", reason_of(gap));
}

// Returns the last of the positions that are wanted of the code of addresses[i].
uint32_t last_position(const std::vector<uint64_t>& addresses, size_t i) {
    const uint64_t id = python_code_of(addresses[i]);
    while (i + 1 < addresses.size() && python_code_of(addresses[i + 1]) == id) ++i;
    return python_position_of(addresses[i]);
}

}  // namespace

uint64_t name_python_frames(const StackTree& tree, std::vector<uint64_t> addresses,
                            const std::function<void(uint64_t, Frame)>& each) {
    std::sort(addresses.begin(), addresses.end());
    addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
    uint64_t unknown = 0;
    uint64_t last = ~uint64_t{0};
    const PythonCodeInfo* code = nullptr;
    std::optional<PythonLineTable> lines;
    for (size_t i = 0; i < addresses.size(); ++i) {
        const uint64_t address = addresses[i];
        const uint64_t id = python_code_of(address);
        if (id != std::exchange(last, id)) {
            const auto found =
                id <= UINT32_MAX ? tree.codes.find(static_cast<uint32_t>(id)) : tree.codes.end();
            code = found == tree.codes.end() ? nullptr : &found->second;
            unknown += code == nullptr && id != 0;
            if (code != nullptr) lines.emplace(*code, last_position(addresses, i));
        }
        Frame frame;
        if (id == 0) {
            frame.kind = FrameKind::gap;
            frame.function = gap_name(static_cast<PythonGap>(python_position_of(address)));
            each(address, std::move(frame));
            continue;
        }
        frame.kind = FrameKind::python;
        frame.named = code != nullptr;
        if (code == nullptr) {
            frame.function = fmt::format("python code {}", id);
        } else {
            const PythonPlace place = lines->find(python_position_of(address));
            frame.function = code->name;
            frame.file = code->file;
            frame.line = place.line;
            frame.end_line = place.end_line;
            frame.column = place.column;
            frame.end_column = place.end_column;
        }
        each(address, std::move(frame));
    }
    return unknown;
}

}  // namespace memtrace::analyzer
