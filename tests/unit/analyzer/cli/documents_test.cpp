// SPDX-License-Identifier: Apache-2.0
#include "analyzer/cli/documents.h"

#include <CLI/CLI.hpp>

#include "analyzer/base/error.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;

TEST_CASE("the commands say which document is wanted") {
    DocumentRequest request;
    CLI::App app("", "tool");
    add_document_commands(app, request);
    CHECK_FALSE(request);
    app.parse("completion fish");
    CHECK(request);
    CHECK(request.wants_completion);
    CHECK(request.shell == "fish");
}

TEST_CASE("a shell that is not known is refused with the names of those that are") {
    DocumentRequest request;
    request.wants_completion = true;
    for (const char* shell : {"", "tcsh"}) {
        request.shell = shell;
        CHECK_THROWS_AS(print_document(request, {}, {}), Error);
    }
}
