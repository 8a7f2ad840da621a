// SPDX-License-Identifier: Apache-2.0
#include "analyzer/commands/command.h"

#include <utility>

namespace memtrace::analyzer {

namespace {

class ReportRun : public CommandRun {
public:
    explicit ReportRun(const Request& request) : request_(request) {}

    DumpReport add(const Recording& recording, const Reload&) override {
        return request_.command->report(recording, request_);
    }

private:
    const Request& request_;
};

}  // namespace

std::function<void(const Write&)> whole_text(std::function<void(std::string&)> append) {
    return [append = std::move(append)](const Write& write) {
        std::string out;
        append(out);
        write(out);
    };
}

bool CommandRun::add_unread(const std::string&, const std::string&) { return false; }

std::string CommandRun::finish(int) { return ""; }

std::unique_ptr<CommandRun> start_command(const Request& request) {
    const Command& command = *request.command;
    return command.start != nullptr ? command.start(request) : std::make_unique<ReportRun>(request);
}

}  // namespace memtrace::analyzer
