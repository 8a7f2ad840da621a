// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/step_code.h"

#include <algorithm>
#include <array>
#include <string_view>

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

bool is_step_code(const Frame& frame) {
    return frame.kind == FrameKind::python &&
           std::any_of(codes.begin(), codes.end(), [&](const StepCode& code) {
               return frame.file.find(code.file) != std::string::npos &&
                      frame.function.find(code.function) != std::string::npos;
           });
}

}  // namespace memtrace::analyzer
