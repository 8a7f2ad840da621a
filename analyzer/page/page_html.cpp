// SPDX-License-Identifier: Apache-2.0
#include "analyzer/page/page_html.h"

#include "analyzer/base/paths.h"
#include "analyzer/base/utf8.h"
#include "analyzer/frames/short_name.h"
#include "analyzer/frames/stack_view.h"
#include "analyzer/page/page_file.h"
#include "analyzer/page/page_names.h"
#include "analyzer/page/page_stacks.h"
#include "analyzer/sites/own_lines.h"

namespace memtrace::analyzer {

namespace {

constexpr size_t title_width = 80;

std::string title_of(const Recording& recording) {
    const ProcessInfo& process = recording.model.process;
    const std::vector<std::string>& command = process.command;
    std::string name = base_name(command.empty() ? process.executable : command[0]);
    // A script says more than its interpreter.
    if (name.starts_with("python") && command.size() > 1 && !command[1].starts_with('-')) {
        name = base_name(command[1]);
    }
    return cut_middle(valid_utf8(begin_of(name, 400)), title_width) + " – memtrace";
}

}  // namespace

Page make_page(const Recording& recording, const PageFindings& findings, const PageBundle& bundle,
               const PageOptions& options) {
    require_bundle(bundle);
    const OwnLines lines = find_own_lines(recording, true);
    const StackView view(recording.symbols, options.interpreter_frames);
    const std::string title = options.with_command ? title_of(recording) : "memtrace";
    Page page;
    page.html = bounded_page(options.bytes_max, [&](size_t nodes) {
        const PageStacks stacks = make_page_stacks(recording, lines, view, nodes);
        page.stacks = page.folded_stacks = 0;
        for (size_t i = 0; i < stacks.spaces.size(); ++i) {
            page.stacks += recording.model.spaces[i].sites.size();
            page.folded_stacks += stacks.spaces[i].folded_stacks;
        }
        return page_file(title, bundle, page_data(recording, stacks, lines, findings, options));
    });
    return page;
}

}  // namespace memtrace::analyzer
