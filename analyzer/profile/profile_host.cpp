// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "analyzer/profile/profile.pb.h"
#include "analyzer/profile/profile_parts.h"

namespace memtrace::analyzer {
namespace {

void copy_pin(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(stack);
    MEMTRACE_STORED(blocks);
    MEMTRACE_STORED(block_bytes);
    MEMTRACE_STORED(free_bytes);
}

void copy_untouched(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(stack);
    MEMTRACE_STORED(mapped);
    MEMTRACE_STORED(resident);
}

void copy_parts(const ToFile&, const HostLedger& plain, stored::HostLedger& file) {
    for (const uint64_t bytes : plain.parts) file.add_parts(bytes);
}
// A later version may have more parts. Their bytes are then not explained.
void copy_parts(const FromFile&, HostLedger& plain, const stored::HostLedger& file) {
    const size_t count = std::min<size_t>(plain.parts.size(), file.parts().size());
    std::copy_n(file.parts().begin(), count, plain.parts.begin());
}

void copy_ledger(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(time_ns);
    MEMTRACE_STORED(occasion);
    MEMTRACE_STORED(resident);
    copy_parts(way, plain, file);
    MEMTRACE_STORED(swapped);
    MEMTRACE_STORED(shared_with_others);
    MEMTRACE_STORED(heap_held);
    MEMTRACE_STORED(free_pages);
    MEMTRACE_STORED(free_at_top);
    MEMTRACE_STORED(pinned);
    MEMTRACE_STORED(unknown_regions);
    MEMTRACE_STORED_LIST(pins, copy_pin);
    MEMTRACE_STORED(mapped);
    MEMTRACE_STORED(not_touched);
    MEMTRACE_STORED_LIST(untouched, copy_untouched);
}

void copy_host(const auto& way, auto& plain, auto& file) {
    MEMTRACE_STORED(moments);
    MEMTRACE_STORED(duration_ns);
    MEMTRACE_STORED(highest);
    MEMTRACE_STORED_OPTIONAL_PART(at_peak, copy_ledger);
    MEMTRACE_STORED_OPTIONAL_PART(at_end, copy_ledger);
}

void number_stacks(stored::HostLedger& ledger, const std::vector<uint32_t>& nodes) {
    const auto number = [&](auto& of) {
        of.set_stack(of.stack() < nodes.size() ? nodes[of.stack()] : no_stack);
    };
    for (stored::HostPin& pin : *ledger.mutable_pins()) number(pin);
    for (stored::HostUntouched& one : *ledger.mutable_untouched()) number(one);
}

}  // namespace

void write_host(const Recording& recording, const std::vector<uint32_t>& nodes,
                stored::Profile& file) {
    if (!recording.model.host.at_peak) return;
    stored::Host& host = *file.mutable_host();
    copy_host(ToFile{}, recording.model.host, host);
    number_stacks(*host.mutable_at_peak(), nodes);
    number_stacks(*host.mutable_at_end(), nodes);
}

void read_host(Recording& recording, const stored::Profile& file) {
    HostInfo& host = recording.model.host;
    copy_host(FromFile{}, host, file.host());
    require_sound(host.at_peak.has_value() == host.at_end.has_value(), "the ledger of the host");
    for (const std::optional<HostLedger>* ledger : {&host.at_peak, &host.at_end}) {
        if (!*ledger) continue;
        for (const HostPin& pin : (*ledger)->pins) {
            require_sound(pin.stack < recording.model.stacks.nodes.size(), "the stack of a pin");
        }
        for (const HostUntouched& one : (*ledger)->untouched) {
            require_sound(one.stack < recording.model.stacks.nodes.size(),
                          "the stack of a mapping");
        }
    }
}

}  // namespace memtrace::analyzer
