// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>
#include <string>
#include <tuple>
#include <vector>

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
        refuse_what_is_there(recording);
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
    // A process is known by its number and its start. Of an old dump these may be missing.
    using Process = std::tuple<uint64_t, uint64_t, std::string>;

    // Two files of one process would count everything that it did twice.
    void refuse_what_is_there(const Recording& recording) {
        std::vector<const ProcessInfo*> processes;
        for (const ProcessPart& part : recording.merged.processes)
            processes.push_back(&part.process);
        if (processes.empty()) processes.push_back(&recording.model.process);
        // As it was typed: a profile names the dump that it was made of.
        const std::vector<std::string>& files = request_.dumps;
        const std::string file = added_ < files.size() ? files[added_] : recording.path;
        for (const ProcessInfo* process : processes) {
            if (process->pid == 0 || process->start_realtime_ns == 0) continue;
            const auto [known, is_new] = files_.try_emplace(
                Process(process->pid, process->start_realtime_ns, process->executable), file);
            if (is_new) continue;
            throw Error(
                fmt::format("merge: process {} is in {} and in {}, and would count twice; name "
                            "each recording once",
                            process->pid, printable(known->second), printable(file)));
        }
    }

    const Request& request_;
    std::map<Process, std::string> files_;  // where each process is
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
