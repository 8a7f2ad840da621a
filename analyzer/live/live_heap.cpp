// SPDX-License-Identifier: Apache-2.0
#include "analyzer/live/live_heap.h"

#include <utility>

#include "analyzer/export/export_format.h"
#include "analyzer/export/pprof_file.h"
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

std::string live_heap_text(Model model) { return pprof_text(live_heap(std::move(model))); }

std::string live_heap_since(const std::string& earlier, Model model) {
    return pprof_between(earlier, live_heap(std::move(model)));
}

}  // namespace memtrace::analyzer
