// SPDX-License-Identifier: Apache-2.0
#include "analyzer/report/json_frames.h"

#include <array>

#include "analyzer/frames/backward_frames.h"

namespace memtrace::analyzer {

Json frame_json(const Frame& frame) {
    static constexpr std::array kinds{"native", "inline", "python",  "native",
                                      "gap",    "group",  "backward"};
    const bool is_backward = frame.kind == FrameKind::backward;
    Json json{
        {"function", is_backward ? "backward of " + backward_function(frame) : frame.function},
        {"file", frame.file},
        {"line", frame.line},
        {"module", frame.module},
        {"kind", kinds[static_cast<size_t>(frame.kind)]}};
    if (frame.kind == FrameKind::cut) json["cut"] = true;
    if (is_backward) json["operation"] = frame.operation;
    if (frame.column != 0) json["column"] = frame.column;
    if (frame.end_column != 0) {
        if (frame.end_line != frame.line) json["end_line"] = frame.end_line;
        json["end_column"] = frame.end_column;
    }
    return json;
}

Json sums_json(const Totals& totals) {
    return {{"allocations", totals.allocations},     {"allocated_bytes", totals.allocated_bytes},
            {"at_peak_bytes", totals.at_peak_bytes}, {"at_peak_blocks", totals.at_peak_blocks},
            {"leaked_bytes", totals.live_bytes},     {"leaked_blocks", totals.live_blocks},
            {"temporary", totals.temporary},         {"frees", totals.frees}};
}

}  // namespace memtrace::analyzer
