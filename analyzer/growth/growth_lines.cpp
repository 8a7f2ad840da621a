// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_lines.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string_view>

#include "analyzer/frames/frame_facts.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/user_code.h"

namespace memtrace::analyzer {
namespace {

struct StepCode {
    std::string_view file;      // part of the path of a Python file
    std::string_view function;  // part of the name of a function in it
};

constexpr auto codes = std::to_array<StepCode>({
    // An optimiser's step.
    {"/torch/optim/", "step"},
    {"/keras/src/optimizers/", "apply"},
    {"/keras/optimizers/", "apply"},
    {"/optax/", "update"},
    // A request.
    {"/socketserver.py", "process_request"},
    {"/wsgiref/handlers.py", "run"},
    {"/uvicorn/protocols/", "run_asgi"},
    {"/gunicorn/workers/", "handle"},
    {"/werkzeug/serving.py", "run_wsgi"},
    {"/aiohttp/web_protocol.py", "_handle_request"},
    {"/tornado/http1connection.py", "_read_message"},
    {"/grpc/_server.py", "_unary_response"},
    {"/waitress/task.py", "service"},
});

}  // namespace

GrowthLines growth_lines_of(const Recording& recording) {
    GrowthLines facts;
    const std::shared_ptr<const FrameFacts> known = facts_of(recording.symbols);
    for (FrameId id = 0; id < recording.symbols.frames.size(); ++id) {
        const Frame& frame = recording.symbols.frames[id];
        const bool interesting =
            !known->has(id, FrameFacts::shim) && known->has(id, FrameFacts::interesting);
        facts.interesting.push_back(interesting);
        facts.does_known_steps |= is_step_code(frame);
        // What a header's code takes belongs to the line that called it.
        const bool is_of_header = frame.kind != FrameKind::python &&
                                  frame.kind != FrameKind::backward &&
                                  is_foreign_source(frame.file);
        facts.own.push_back(interesting && frame.line != 0 && !is_of_header &&
                            is_user_code(frame, recording.code));
    }
    return facts;
}

bool is_step_code(const Frame& frame) {
    return frame.kind == FrameKind::python &&
           std::any_of(codes.begin(), codes.end(), [&](const StepCode& code) {
               return frame.file.find(code.file) != std::string::npos &&
                      frame.function.find(code.function) != std::string::npos;
           });
}

}  // namespace memtrace::analyzer
