// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/live_heap.h"

#include <utility>

#include "analyzer/export/export_format.h"
#include "analyzer/symbolise/symbolise.h"

namespace memtrace::analyzer {

std::string live_heap(Model model) {
    Recording recording;
    recording.model = std::move(model);
    recording.symbols = symbolise(recording.model, {});
    std::string bytes;
    const TextOptions text;
    write_pprof(recording, {ExportMeasure::held, text},
                [&](std::string_view piece) { bytes += piece; });
    return bytes;
}

}  // namespace memtrace::analyzer
