// SPDX-License-Identifier: Apache-2.0
//
// Lists what the spaces of the replay hold now, for the host's ledger.
#pragma once

#include "analyzer/ledger/held_memory.h"
#include "analyzer/spaces/heap_space.h"
#include "analyzer/spaces/map_space.h"
#include "analyzer/spaces/object_space.h"

namespace memtrace::analyzer {

HeldMemory held_memory(const HeapSpace& heap, const MapSpace& maps, const ObjectSpace& objects);

}  // namespace memtrace::analyzer
