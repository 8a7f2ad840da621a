// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/section_count.h"

#include <optional>

#include <fmt/format.h>

namespace memtrace::analyzer {

void SectionCount::check(const DumpFile& file, uint64_t lanes, bool is_written,
                         Problems& problems) const {
    const std::optional<uint64_t> lasting = file.rings_and_process();
    if (lasting && found_lasting_ < *lasting) {
        problems.damage("sections",
                        fmt::format("The file header counts {} rings and chunks about the "
                                    "process, and {} are there: what was in the others is lost.",
                                    *lasting, found_lasting_));
        return;
    }
    const std::optional<uint64_t> counted = file.sections();
    if (!counted) return;
    if (found_ < *counted) {
        problems.damage("sections",
                        fmt::format("The file header counts {} sections, and {} are there: "
                                    "what was in the others is lost.",
                                    *counted, found_));
    } else if (found_ > *counted + lanes && !is_written) {
        problems.damage("sections", fmt::format("The file header counts {} sections, and {} are "
                                                "there.",
                                                *counted, found_));
    } else if (*counted == 0 && found_ == 0) {
        problems.damage("sections",
                        "The dump is empty: nothing could be written to it (a full disk?), or "
                        "the program was killed at its start.");
    }
}

}  // namespace memtrace::analyzer
