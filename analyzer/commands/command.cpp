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

std::vector<std::string> Request::documents_on_stdout() const {
    const std::pair<const char*, const std::string&> all[] = {{"--json", json},
                                                              {"--junit", check.junit},
                                                              {"--sarif", check.sarif},
                                                              {"--markdown", check.markdown}};
    std::vector<std::string> documents;
    for (const auto& [option, path] : all) {
        if (path == "-") documents.emplace_back(option);
    }
    if (command->writes_output && check.output == "-") documents.emplace_back("--output");
    return documents;
}

bool CommandRun::add_unread(const std::string&, const std::string&) { return false; }

std::string CommandRun::finish(int) { return ""; }

std::unique_ptr<CommandRun> start_command(const Request& request) {
    const Command& command = *request.command;
    return command.start != nullptr ? command.start(request) : std::make_unique<ReportRun>(request);
}

}  // namespace memtrace::analyzer
