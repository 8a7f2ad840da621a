// SPDX-License-Identifier: Apache-2.0
//
// The header of nlohmann's JSON library, for builds with MEMTRACE_QUICK_BUILD. The class of our
// documents is compiled once, in instances.cpp, and not again in each source.
#pragma once

#include_next <nlohmann/json.hpp>

#if NLOHMANN_JSON_VERSION_MAJOR == 3 && NLOHMANN_JSON_VERSION_MINOR == 11
#define MEMTRACE_JSON_INSTANCE template class nlohmann::basic_json<nlohmann::ordered_map>
extern MEMTRACE_JSON_INSTANCE;
#endif
