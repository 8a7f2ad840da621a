// SPDX-License-Identifier: Apache-2.0
#include "tests/damage/verdict.h"

#include "analyzer/report/report_json.h"
#include "analyzer/symbolise/symbolise.h"
#include "tests/tools/story.h"

namespace memtrace::test {
namespace {

using analyzer::Recording;

Recording load(const Bytes& bytes) {
    Recording recording;
    recording.path = "dump.bin";
    recording.model = load_bytes(bytes);
    return recording;
}

// Where an unfinished chunk lies is no figure.
std::string json_of(Recording& recording) {
    std::erase_if(recording.model.notes,
                  [](const auto& note) { return note.subject == "unfinished"; });
    recording.symbols = symbolise(recording.model, {});
    std::string json;
    write_json(recording, analyzer::SiteFilter::all, [&](std::string_view text) { json += text; });
    return json;
}

// A dump of a killed process may be one that says that events are missing.
std::string problems_of(const Recording& recording) {
    return is_incomplete(recording.model) ? test::problems_of(recording.model) : "";
}

}  // namespace

Judge::Judge(const Bytes& whole) {
    try {
        Recording recording = load(whole);
        fault_ = problems_of(recording);
        json_ = json_of(recording);
        records_ = text_of(whole);
    } catch (const analyzer::Error& error) {
        fault_ = error.what();
    }
}

Verdict Judge::judge(const Bytes& damaged) const {
    try {
        Recording recording = load(damaged);
        if (is_incomplete(recording.model)) return Verdict::noticed;
        if (text_of(damaged) != records_) return Verdict::passed;
        return json_of(recording) == json_ ? Verdict::harmless : Verdict::passed;
    } catch (const analyzer::Error&) {
        return Verdict::noticed;
    }
}

}  // namespace memtrace::test
