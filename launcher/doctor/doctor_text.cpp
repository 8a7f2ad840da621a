// SPDX-License-Identifier: Apache-2.0
//
// What `memtrace doctor` prints.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "launcher/doctor/doctor.h"

namespace memtrace::launcher {
namespace {

constexpr size_t text_begins = 22;  // behind "  limited  recording  "
constexpr size_t narrowest = 30;    // columns of text, even on a terminal of none

// Appends the words of `text` in lines that begin at `text_begins`, the first one excepted.
void append_wrapped(std::string& out, std::string_view text, size_t width) {
    const size_t room = std::max(width, text_begins + narrowest) - text_begins;
    size_t used = 0;
    while (!text.empty()) {
        const size_t end = std::min(text.find(' '), text.size());
        const std::string_view word = text.substr(0, end);
        const size_t columns = analyzer::display_width(word);
        if (used > 0 && used + 1 + columns > room) {
            out.append("\n").append(text_begins, ' ');
            used = 0;
        } else if (used > 0) {
            out += ' ';
            ++used;
        }
        out += word;
        used += columns;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    out += '\n';
}

std::string summary_of(const Diagnosis& diagnosis) {
    if (!diagnosis.works) return "Nothing can be recorded here; the lines with \"no\" say why.";
    if (!diagnosis.refused.empty()) {
        return fmt::format(
            "Recording works here, but not of {}; the lines with \"no\" say why.",
            analyzer::printable(fmt::format("{}", fmt::join(diagnosis.refused, " and "))));
    }
    const auto limits = static_cast<uint64_t>(
        std::count_if(diagnosis.findings.begin(), diagnosis.findings.end(),
                      [](const Finding& one) { return one.state == State::limited; }));
    if (limits == 0) return "Recording works here: memtrace run -- PROGRAM";
    return fmt::format("Recording works here, with {}: memtrace run -- PROGRAM",
                       analyzer::counted(limits, "restriction"));
}

}  // namespace

std::string doctor_text(const Diagnosis& diagnosis, size_t width, bool colour) {
    const analyzer::Style style(colour);
    std::string out = fmt::format("memtrace {} on {}\n\n", MEMTRACE_VERSION,
                                  analyzer::printable(diagnosis.system));
    for (const Finding& finding : diagnosis.findings) {
        const std::string word = fmt::format("{:<7}", word_of(finding.state));
        out += fmt::format("  {}  {:<9}  ",
                           finding.state == State::ok        ? style.good(word)
                           : finding.state == State::limited ? style.strong(word)
                                                             : style.bad(word),
                           finding.subject);
        append_wrapped(out, analyzer::printable(finding.found), width);
        if (finding.advice.empty()) continue;
        out.append(text_begins, ' ');
        append_wrapped(out, "-> " + finding.advice, width);
    }
    return out + "\n" + summary_of(diagnosis) + "\n";
}

std::string doctor_json(const Diagnosis& diagnosis) {
    nlohmann::ordered_json checks = nlohmann::ordered_json::array();
    for (const Finding& finding : diagnosis.findings) {
        checks.push_back({{"subject", finding.subject},
                          {"state", word_of(finding.state)},
                          {"found", finding.found},
                          {"advice", finding.advice}});
    }
    const nlohmann::ordered_json document = {{"schema", 1},
                                             {"version", MEMTRACE_VERSION},
                                             {"system", diagnosis.system},
                                             {"recording", diagnosis.is_fine()},
                                             {"checks", std::move(checks)}};
    return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace memtrace::launcher
