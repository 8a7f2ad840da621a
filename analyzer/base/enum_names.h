// SPDX-License-Identifier: Apache-2.0
//
// Converts the enums of a dump to words and back, with one table for each enum.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "memtrace/dump/format.h"

namespace memtrace::analyzer {

template <class Enum>
using Word = std::pair<Enum, std::string_view>;

template <class Enum>
inline constexpr bool words_of = false;  // Every enum of a record has a table below.

template <>
inline constexpr auto words_of<Api> = std::to_array<Word<Api>>({
    {Api::none, "none"},
#define MEMTRACE_API(id, name, effect, space, provider) {Api::name, #name},
#include "memtrace/dump/apis.def"
#define MEMTRACE_GPU_API(id, name, record, memory) {Api::name, #name},
#include "memtrace/dump/gpu_apis.def"
#define MEMTRACE_CUDART_API(id, name, record, memory) {Api::name, #name},
#include "memtrace/dump/cudart_apis.def"
});
template <>
inline constexpr auto words_of<NodeKind> =
    std::to_array<Word<NodeKind>>({{NodeKind::native, "native"},
                                   {NodeKind::entry, "entry"},
                                   {NodeKind::truncated, "truncated"},
                                   {NodeKind::python, "python"},
                                   {NodeKind::guessed, "guessed"}});
template <>
inline constexpr auto words_of<MapClass> =
    std::to_array<Word<MapClass>>({{MapClass::anonymous, "anonymous"},
                                   {MapClass::file, "file"},
                                   {MapClass::shared, "shared"},
                                   {MapClass::reserved, "reserved"}});
template <>
inline constexpr auto words_of<MapPurpose> =
    std::to_array<Word<MapPurpose>>({{MapPurpose::unknown, "unknown"},
                                     {MapPurpose::python_arena, "python_arena"},
                                     {MapPurpose::gpu_driver, "gpu_driver"}});
template <>
inline constexpr auto words_of<HostOccasion> =
    std::to_array<Word<HostOccasion>>({{HostOccasion::growth, "growth"},
                                       {HostOccasion::work_end, "work_end"},
                                       {HostOccasion::time, "time"}});
template <>
inline constexpr auto words_of<HostUse> = std::to_array<Word<HostUse>>(
    {{HostUse::memtrace, "memtrace"}, {HostUse::thread_stack, "thread_stack"}});
template <>
inline constexpr auto words_of<PythonObjectsState> =
    std::to_array<Word<PythonObjectsState>>({{PythonObjectsState::off, "off"},
                                             {PythonObjectsState::whole, "whole"},
                                             {PythonObjectsState::late, "late"}});
template <>
inline constexpr auto words_of<EndKind> = std::to_array<Word<EndKind>>(
    {{EndKind::exit, "exit"}, {EndKind::immediate, "immediate"}, {EndKind::exec, "exec"}});
template <>
inline constexpr auto words_of<WorkEndKind> = std::to_array<Word<WorkEndKind>>(
    {{WorkEndKind::program, "program"}, {WorkEndKind::python, "python"}});
template <>
inline constexpr auto words_of<SwitchState> =
    std::to_array<Word<SwitchState>>({{SwitchState::off, "off"}, {SwitchState::on, "on"}});
template <>
inline constexpr auto words_of<MarkKind> = std::to_array<Word<MarkKind>>(
    {{MarkKind::mark, "mark"}, {MarkKind::begin, "begin"}, {MarkKind::end, "end"}});
template <>
inline constexpr auto words_of<MarkSource> =
    std::to_array<Word<MarkSource>>({{MarkSource::program, "program"}, {MarkSource::nvtx, "nvtx"}});
template <>
inline constexpr auto words_of<MarkScope> = std::to_array<Word<MarkScope>>(
    {{MarkScope::process, "process"}, {MarkScope::thread, "thread"}});
template <>
inline constexpr auto words_of<GpuBackend> =
    std::to_array<Word<GpuBackend>>({{GpuBackend::none, "none"},
                                     {GpuBackend::driver, "driver"},
                                     {GpuBackend::cupti, "cupti"},
                                     {GpuBackend::runtime, "runtime"}});
template <>
inline constexpr auto words_of<GpuMemory> =
    std::to_array<Word<GpuMemory>>({{GpuMemory::unknown, "unknown"},
                                    {GpuMemory::device, "device"},
                                    {GpuMemory::managed, "managed"},
                                    {GpuMemory::pinned, "pinned"},
                                    {GpuMemory::registered, "registered"},
                                    {GpuMemory::array, "array"},
                                    {GpuMemory::pooled, "pooled"},
                                    {GpuMemory::graph, "graph"},
                                    {GpuMemory::imported, "imported"},
                                    {GpuMemory::physical, "physical"},
                                    {GpuMemory::physical_host, "physical_host"},
                                    {GpuMemory::reserved, "reserved"}});
template <>
inline constexpr auto words_of<GpuContextChange> =
    std::to_array<Word<GpuContextChange>>({{GpuContextChange::created, "created"},
                                           {GpuContextChange::retained, "retained"},
                                           {GpuContextChange::released, "released"},
                                           {GpuContextChange::destroyed, "destroyed"}});
template <>
inline constexpr auto words_of<GpuPoolKind> =
    std::to_array<Word<GpuPoolKind>>({{GpuPoolKind::pool, "pool"},
                                      {GpuPoolKind::graph, "graph"},
                                      {GpuPoolKind::gone, "gone"},
                                      {GpuPoolKind::imported, "imported"}});
template <>
inline constexpr auto words_of<GpuUsageScope> = std::to_array<Word<GpuUsageScope>>(
    {{GpuUsageScope::process, "process"}, {GpuUsageScope::device, "device"}});
template <>
inline constexpr auto words_of<PythonLinesFormat> =
    std::to_array<Word<PythonLinesFormat>>({{PythonLinesFormat::lnotab, "lnotab"},
                                            {PythonLinesFormat::ranges, "ranges"},
                                            {PythonLinesFormat::locations, "locations"}});
template <>
inline constexpr auto words_of<PythonState> = std::to_array<Word<PythonState>>(
    {{PythonState::none, "none"}, {PythonState::on, "on"}, {PythonState::off, "off"}});
template <>
inline constexpr auto words_of<PythonGap> =
    std::to_array<Word<PythonGap>>({{PythonGap::unnamed, "unnamed"},
                                    {PythonGap::depth, "depth"},
                                    {PythonGap::finalizing, "finalizing"},
                                    {PythonGap::off, "off"},
                                    {PythonGap::interpreter, "interpreter"}});
template <>
inline constexpr auto words_of<Cut> = std::to_array<Word<Cut>>({{Cut::depth, "depth"},
                                                                {Cut::early, "early"},
                                                                {Cut::nested, "nested"},
                                                                {Cut::disabled, "disabled"},
                                                                {Cut::failed, "failed"},
                                                                {Cut::no_data, "no_data"}});

template <>
inline constexpr auto words_of<LostStage> =
    std::to_array<Word<LostStage>>({{LostStage::begun, "begun"},
                                    {LostStage::done, "done"},
                                    {LostStage::failed, "failed"},
                                    {LostStage::refused, "refused"}});
template <>
inline constexpr auto words_of<LostCause> =
    std::to_array<Word<LostCause>>({{LostCause::work_end, "work_end"},
                                    {LostCause::asked, "asked"},
                                    {LostCause::program, "program"},
                                    {LostCause::interval, "interval"}});
template <>
inline constexpr auto words_of<LostKind> =
    std::to_array<Word<LostKind>>({{LostKind::definitely, "definitely"},
                                   {LostKind::indirectly, "indirectly"},
                                   {LostKind::possibly, "possibly"},
                                   {LostKind::ignored, "ignored"},
                                   {LostKind::garbage, "garbage"}});

// Reasons for which a stack was cut, for people. `early` occurs in old dumps only, because today's
// shim has its own unwinder and is ready from the first event on. Several reasons for the same
// cause share one text.
inline constexpr auto reasons_of_cuts = std::to_array<Word<Cut>>(
    {{Cut::depth, "longer than the depth limit"},
     {Cut::early, "recorded before the unwinder was ready"},
     {Cut::nested, "in a signal handler that interrupted the recording of another event"},
     {Cut::disabled, "stacks were switched off, or could not be walked"},
     {Cut::failed, "unwind data that makes no sense"},
     {Cut::no_data, "code without unwind data"}});

// Missing parts of Python's stacks and the reasons, for people.
inline constexpr auto reasons_of_gaps = std::to_array<Word<PythonGap>>(
    {{PythonGap::unnamed, "a frame whose code object is just being freed"},
     {PythonGap::depth, "the outer frames of a stack that is too deep"},
     {PythonGap::finalizing, "all frames: the interpreter was ending"},
     {PythonGap::off, "all frames: they cannot be read"},
     {PythonGap::interpreter, "perhaps the inner frames: those of another interpreter"}});

// Returns the word of a value; empty if the value is newer than this program.
template <class Enum>
constexpr std::string_view word_of(Enum value) {
    for (const auto& [known, word] : words_of<Enum>) {
        if (known == value) return word;
    }
    return {};
}

constexpr std::string_view reason_of(Cut cut) {
    for (const auto& [known, reason] : reasons_of_cuts) {
        if (known == cut) return reason;
    }
    return "for a reason that this version does not know";
}

constexpr std::string_view reason_of(PythonGap gap) {
    for (const auto& [known, reason] : reasons_of_gaps) {
        if (known == gap) return reason;
    }
    return "for a reason that this version does not know";
}

template <class Enum>
constexpr std::optional<Enum> from_word(std::string_view word) {
    for (const auto& [known, name] : words_of<Enum>) {
        if (name == word) return known;
    }
    return std::nullopt;
}

}  // namespace memtrace::analyzer
