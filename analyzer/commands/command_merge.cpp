// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "analyzer/base/error.h"
#include "analyzer/base/report_output.h"
#include "analyzer/base/terminal.h"
#include "analyzer/commands/command.h"
#include "analyzer/profile/profile_file.h"
#include "analyzer/profile/profile_merge.h"
#include "analyzer/profile/profile_text.h"

namespace memtrace::analyzer {

namespace {

class MergeRun : public CommandRun {
public:
    explicit MergeRun(const Request& request) : request_(request) {}

    DumpReport add(const Recording& recording, const Reload&) override {
        sum_.add(recording);
        added_ += 1;
        return {};
    }

    // A sum without one of its parts would look like the whole.
    std::string finish(int exit_code) override {
        const std::string& path = request_.check.output;
        if (exit_code == exit_cannot || added_ != request_.dumps.size()) {
            return "Nothing was merged, because not all files could be read.\n";
        }
        const Recording sum = sum_.finish();
        const std::string bytes = write_profile(sum);
        replace_file(path, bytes, Readers::owner, Replaces::profiles);
        return profile_sentence(sum, path, bytes.size());
    }

private:
    const Request& request_;
    ProfileMerge sum_;
    size_t added_ = 0;
};

void add_options(OptionList& options, Request& request) {
    add_common_options(options, request);
    add_step_option(options, request);
    options.add_value("-o,--output", request.check.output, "FILE", "Write to FILE");
}

void finish(Request& request) {
    if (!request.json.empty()) {
        throw Error(
            fmt::format("--json {}: merge has no report; the profile that it writes has all",
                        printable(request.json)));
    }
    if (request.check.output.empty()) {
        throw Error("merge: -o FILE is missing; it says where the merged profile goes");
    }
    read_text_options(request);
}

std::unique_ptr<CommandRun> start(const Request& request) {
    return std::make_unique<MergeRun>(request);
}

}  // namespace

const Command command_merge{
    .name = "merge",
    .help = "Write one profile of several dumps or profiles",
    .add_options = add_options,
    .finish = finish,
    .load_options = load_everything,
    .start = start,
    .writes_output = true,
};

}  // namespace memtrace::analyzer
