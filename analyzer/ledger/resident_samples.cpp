// SPDX-License-Identifier: Apache-2.0
#include "analyzer/ledger/resident_samples.h"

#include <fmt/format.h>

#include "analyzer/base/thin_out.h"
#include "analyzer/base/units.h"

namespace memtrace::analyzer {

// The proportional set and memtrace's part are measured a hundred times less often, so those
// samples are thinned apart.
void add_sample(std::vector<RssSample>& samples, const RssSample& sample) {
    if (samples.size() >= samples_kept) {
        thin_out(
            samples, [](const RssSample& one) { return one.own != 0 || one.pss != 0; },
            [](const RssSample& one) { return one.rss; });
    }
    samples.push_back(sample);
}

void remark_on_samples(size_t listed, uint64_t taken, Problems& problems) {
    if (taken <= listed) return;
    problems.remark("samples",
                    fmt::format("{} samples of the resident set are listed of {}: of several in a "
                                "row the lowest and the highest.",
                                exact_count(listed), exact_count(taken)));
}

}  // namespace memtrace::analyzer
