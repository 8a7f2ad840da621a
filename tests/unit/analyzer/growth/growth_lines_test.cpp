// SPDX-License-Identifier: Apache-2.0
#include "analyzer/growth/growth_lines.h"

#include "tests/unit/test.h"

using namespace memtrace::analyzer;

namespace {

bool is_step(const char* file, const char* function) {
    Frame frame;
    frame.kind = FrameKind::python;
    frame.file = file;
    frame.function = function;
    return is_step_code(frame);
}

}  // namespace

TEST_CASE("an optimiser's step and a request are steps, their import is not") {
    CHECK(is_step("/v/site-packages/torch/optim/adam.py", "Adam.step"));
    CHECK_FALSE(is_step("/v/site-packages/torch/optim/adam.py", "<module>"));
    CHECK_FALSE(is_step("/v/site-packages/torch/optim/adam.py", "Adam"));
    CHECK(is_step("/usr/lib/python3.11/socketserver.py", "BaseServer.process_request"));
    CHECK_FALSE(is_step("/home/u/steps.py", "step"));
}
