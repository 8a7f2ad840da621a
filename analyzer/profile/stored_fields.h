// SPDX-License-Identifier: Apache-2.0
//
// Copies members between plain structs and messages of profile.proto. Each pair of structs has one
// function, which copies in both directions, so no member can be written and not read:
//
//   void copy_note(const auto& way, auto& plain, auto& file) {
//       MEMTRACE_STORED(subject);
//       MEMTRACE_STORED(text);
//   }
//
// `way` is ToFile or FromFile.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <vector>

namespace memtrace::analyzer {

// The bytes are not those of a profile. read_profile() turns it into an Error with the path.
class BadProfile : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

inline void require_sound(bool is_sound, const char* what) {
    if (!is_sound) throw BadProfile(what);
}

struct ToFile {
    template <class Plain>
    void one(const Plain& plain, const auto&, const auto& set) const {
        if constexpr (std::is_enum_v<Plain>) set(static_cast<uint32_t>(plain));
        else set(plain);
    }
    void optional(const auto& plain, bool, const auto&, const auto& set) const {
        if (plain) set(*plain);
    }
    void part(const auto& plain, auto& file, const auto& change, const auto&,
              const auto& copy) const {
        copy(plain, *change(file));
    }
    void optional_part(const auto& plain, auto& file, const auto& change, const auto&, bool,
                       const auto& copy) const {
        if (plain) copy(*plain, *change(file));
    }
    void list(const auto& plain, auto& file, const auto& change, const auto&,
              const auto& copy) const {
        for (const auto& element : plain) copy(element, *change(file)->Add());
    }
};

struct FromFile {
    template <class Plain>
    void one(Plain& plain, const auto& stored, const auto&) const {
        plain = static_cast<Plain>(stored);
    }
    void optional(auto& plain, bool has, const auto& stored, const auto&) const {
        if (has) plain = stored;
    }
    void part(auto& plain, const auto& file, const auto&, const auto& look,
              const auto& copy) const {
        copy(plain, *look(file));
    }
    void optional_part(auto& plain, const auto& file, const auto&, const auto& look, bool has,
                       const auto& copy) const {
        if (has) copy(plain.emplace(), *look(file));
    }
    void list(auto& plain, const auto& file, const auto&, const auto& look,
              const auto& copy) const {
        for (const auto& element : *look(file)) copy(plain.emplace_back(), element);
    }
};

// clang-format off
#define MEMTRACE_STORED(name) \
    way.one(plain.name, file.name(), [&](const auto& value) { file.set_##name(value); })
#define MEMTRACE_STORED_OPTIONAL(name) \
    way.optional(plain.name, file.has_##name(), file.name(), \
                 [&](const auto& value) { file.set_##name(value); })
#define MEMTRACE_STORED_ACCESS(name) \
    [](auto& of) { return of.mutable_##name(); }, [](const auto& of) { return &of.name(); }
#define MEMTRACE_STORED_PART(name, copy) \
    way.part(plain.name, file, MEMTRACE_STORED_ACCESS(name), \
             [&](auto& inner, auto& stored) { copy(way, inner, stored); })
#define MEMTRACE_STORED_OPTIONAL_PART(name, copy) \
    way.optional_part(plain.name, file, MEMTRACE_STORED_ACCESS(name), file.has_##name(), \
                      [&](auto& inner, auto& stored) { copy(way, inner, stored); })
#define MEMTRACE_STORED_LIST(name, copy) \
    way.list(plain.name, file, MEMTRACE_STORED_ACCESS(name), \
             [&](auto& inner, auto& stored) { copy(way, inner, stored); })
// clang-format on

}  // namespace memtrace::analyzer
