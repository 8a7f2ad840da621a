// SPDX-License-Identifier: Apache-2.0
//
// The enums of a dump in words, and back. One table each.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "memtrace/format.h"

namespace memtrace::analyzer {

template <class Enum>
using Word = std::pair<Enum, std::string_view>;

template <class Enum>
inline constexpr bool words_of = false;  // Every enum of a record has a row below.

template <>
inline constexpr auto words_of<Api> = std::to_array<Word<Api>>({
    {Api::none, "none"},
#define MEMTRACE_API(id, name, effect, space, provider) {Api::name, #name},
#include "memtrace/apis.def"
});
template <>
inline constexpr auto words_of<NodeKind> = std::to_array<Word<NodeKind>>({
    {NodeKind::native, "native"}, {NodeKind::entry, "entry"},
    {NodeKind::truncated, "truncated"}, {NodeKind::python, "python"},
    {NodeKind::guessed, "guessed"}});
template <>
inline constexpr auto words_of<MapClass> = std::to_array<Word<MapClass>>({
    {MapClass::anonymous, "anonymous"}, {MapClass::file, "file"},
    {MapClass::shared, "shared"}, {MapClass::reserved, "reserved"}});
template <>
inline constexpr auto words_of<EndKind> = std::to_array<Word<EndKind>>({
    {EndKind::exit, "exit"}, {EndKind::immediate, "immediate"}, {EndKind::exec, "exec"}});
template <>
inline constexpr auto words_of<MarkKind> = std::to_array<Word<MarkKind>>({
    {MarkKind::mark, "mark"}, {MarkKind::begin, "begin"}, {MarkKind::end, "end"}});

// Empty: a value that is newer than this program.
template <class Enum>
constexpr std::string_view word_of(Enum value) {
    for (const auto& [known, word] : words_of<Enum>) {
        if (known == value) return word;
    }
    return {};
}

template <class Enum>
constexpr std::optional<Enum> from_word(std::string_view word) {
    for (const auto& [known, name] : words_of<Enum>) {
        if (name == word) return known;
    }
    return std::nullopt;
}

}  // namespace memtrace::analyzer
