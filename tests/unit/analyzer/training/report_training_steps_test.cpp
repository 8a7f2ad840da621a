// SPDX-License-Identifier: Apache-2.0
#include "analyzer/training/report_training_steps.h"

#include "tests/unit/analyzer/training/training_story.h"
#include "tests/unit/test.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

constexpr auto activation = static_cast<size_t>(TrainingKind::activation);

TrainingSpace space_with_steps() {
    TrainingSpace space;
    space.name = "host";
    for (uint64_t step = 1; step <= 3; ++step) {
        StepRow row;
        row.step = step;
        row.at_end[activation] = step << 20;
        row.most = row.made = 5 << 20;
        space.steps.rows.push_back(row);
    }
    space.steps.grown = {{TrainingKind::activation, 1 << 20, 1 << 20}};
    return space;
}

}  // namespace

TEST_CASE("report_training_steps: kinds are rows, and steps are columns") {
    std::string text;
    write_training_steps(text, space_with_steps(), {"train.py:40", {0, 1, 2}, 3, "", false}, {});
    CHECK_THAT(text, Contains("STEP 1      STEP 2      STEP 3  KIND"));
    CHECK_THAT(text, Contains("1.0 MiB     2.0 MiB     3.0 MiB  activations"));
    CHECK_THAT(text, Contains("activations 1.0 MiB, 1.0 MiB each."));
}

TEST_CASE("report_training_steps: without steps nothing is said of them") {
    std::string text;
    write_training_steps(text, {}, {}, {});
    CHECK(text.empty());
    CHECK(step_of_peak({}, {}).empty());
}

TEST_CASE("report_training_steps: the classes of modules") {
    TrainingSpace space;
    space.name = "host";
    ModuleRow row;
    row.bytes[activation] = row.all = 2 << 20;
    space.modules = {row};
    TrainingTable table;
    table.modules = {{"Attention", "/home/me/net.py"}};
    std::string text;
    write_training_modules(text, space, table, {});
    CHECK_THAT(text, Contains("2.0 MiB           –           –     2.0 MiB  Attention"));
    table.has_module_names = false;
    write_training_modules(text, space, table, {});
    CHECK_THAT(text, Contains("since 3.11"));
}
