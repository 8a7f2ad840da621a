// SPDX-License-Identifier: Apache-2.0
//
// A file of suppressions, and what they match.
#include "analyzer/base/error.h"
#include "analyzer/check/suppressor.h"
#include "tests/fuzz/targets.h"
#include "tests/unit/analyzer/sites/models.h"

namespace memtrace::test {

void run_suppressions(const uint8_t* data, size_t size) {
    using namespace analyzer;
    Story story;
    story.site("host", story.stack({"libc:malloc", "load src/plugin.cpp:4", "run", "main"}), 1, 10,
               1);
    std::vector<std::string> deep(60, "walk(Tree*) src/tree.cpp:9");
    deep.push_back("main");
    story.site("host", story.stack(deep), 1, 10, 1);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    try {
        const std::vector<Suppression> suppressions = parse_suppressions(text, "s.supp");
        LostSearchInfo search;
        search.stage = LostStage::done;
        for (const bool was_searched : {false, true}) {
            if (was_searched) story.recording.model.searches.push_back(search);
            Suppressor suppressor(story.recording, suppressions, "2026-07-01");
            const Space& host = story.recording.model.spaces[0];
            for (const Site& site : host.sites) suppressor.suppressed(host, site);
        }
        program_suppressions(text);
    } catch (const Error&) {
    }
}

}  // namespace memtrace::test
