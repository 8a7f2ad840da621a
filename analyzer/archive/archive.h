// SPDX-License-Identifier: Apache-2.0
//
// What objects hold, as bytes and back. A class lists its members once, and the list serves both
// ways:
//
//   static void state(auto& self, auto& each) { each(self.blocks_, self.newest_); }
//
// A plain struct with members that are no plain bytes has a free function in its namespace instead:
//
//   void state_of(auto& note, auto& each) { each(note.subject, note.text); }
//
// Everything that can be copied as bytes is copied as bytes. So an archive is only read by a
// program whose objects have the same form. It has the size of each of them, and archive_version
// counts the other changes. Lists of such values are written by columns: the first bytes of some
// thousands of them, then the second ones, and so on. Zeros, and figures of one kind, come together
// and pack to half.
//
// A reader checks every length. What numbers mean is checked by whoever lists them:
//
//   each.check([&] { return self.newest_ < self.blocks_.size(); }, "a block in it is not there");
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "analyzer/base/long_list.h"

namespace memtrace::analyzer {

inline constexpr uint64_t archive_version = 11;

// The bytes are not those of such an object, or of another version of it.
class BadArchive : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

template <class T, class Archive>
concept ListsItsState = requires(T& value, Archive& each) {
    std::remove_const_t<T>::state(value, each);
};
template <class T, class Archive>
concept HasStateFunction = requires(T& value, Archive& each) {
    state_of(value, each);
};

namespace archived {

template <class T, template <class...> class Template>
inline constexpr bool is_a = false;
template <template <class...> class Template, class... Of>
inline constexpr bool is_a<Template<Of...>, Template> = true;

template <class T>
concept IsMap = requires {
    typename T::mapped_type;
};
template <class T>
concept IsSet = requires {
    typename T::key_type;
}
&&!IsMap<T>;
template <class T>
inline constexpr bool is_list = is_a<T, std::vector> || is_a<T, std::deque>;

// Copied as bytes. An optional is not: its bytes may be anything where it has no value.
template <class T>
inline constexpr bool is_plain =
    std::is_trivially_copyable_v<T> && !std::is_pointer_v<T> && !is_a<T, std::optional>;

// The same, and it lists no members.
template <class T, class Archive>
inline constexpr bool has_bytes =
    is_plain<T> && !ListsItsState<T, Archive> && !HasStateFunction<T, Archive>;

template <class T, class Archive>
inline constexpr bool is_list_of_bytes = false;
template <class T, class Archive>
inline constexpr bool is_list_of_bytes<std::vector<T>, Archive> =
    has_bytes<T, Archive> && !std::is_same_v<T, bool>;
template <class T, class Archive>
inline constexpr bool is_list_of_bytes<LongList<T>, Archive> =
    is_list_of_bytes<std::vector<T>, Archive>;

// A writer hands over about so many bytes at a time.
inline constexpr size_t piece_bytes = size_t{256} << 10;
// Of a column. Longer ones pack worse: what comes together then is too far away. Not 16,384: the
// columns would all be in the same set of a processor's cache.
inline constexpr size_t rows_max = size_t{255} * 64;

// One byte that differs for most sizes.
template <class T>
inline constexpr auto size_mark = static_cast<uint8_t>(sizeof(T) ^ sizeof(T) >> 8);

}  // namespace archived

class ArchiveWriter {
public:
    static constexpr bool reads = false;
    // Takes the next bytes. They are valid during the call.
    using Sink = std::function<void(std::string_view)>;

    explicit ArchiveWriter(Sink sink) : sink_(std::move(sink)) {}

    template <class... Values>
    void operator()(Values&&... values) {
        (put(values), ...);
    }

    // What is written is sound.
    void check(auto&&, const char*) const {}

    // Call after the last value.
    void end() {
        sink_(out_);
        out_.clear();
    }

private:
    void put_bytes(const void* bytes, size_t size) {
        if (out_.size() > archived::piece_bytes) end();
        out_.append(static_cast<const char*>(bytes), size);
    }
    void put_count(uint64_t count) { put(count); }
    void put_each(auto& list) {
        put_count(list.size());
        for (auto& value : list) put(value);
    }

    template <class List>
    void put_columns(const List& list) {
        using Element = std::remove_cvref_t<decltype(list[0])>;
        put_count(list.size());
        out_ += static_cast<char>(archived::size_mark<Element>);
        if constexpr (sizeof(Element) == 1 && archived::is_a<List, std::vector>)
            return put_bytes(list.data(), list.size());
        std::string columns;
        for (size_t begin = 0; begin < list.size();) {
            const size_t rows = std::min(archived::rows_max, list.size() - begin);
            columns.resize(rows * sizeof(Element));
            for (size_t i = 0; i < rows; ++i) {
                const auto* bytes = reinterpret_cast<const char*>(&list[begin + i]);
                for (size_t k = 0; k < sizeof(Element); ++k) columns[k * rows + i] = bytes[k];
            }
            put_bytes(columns.data(), columns.size());
            begin += rows;
        }
    }

    template <class Value>
    void put(Value& value) {
        using namespace archived;
        using T = std::remove_const_t<Value>;
        if constexpr (ListsItsState<Value, ArchiveWriter>) {
            T::state(value, *this);
        } else if constexpr (HasStateFunction<Value, ArchiveWriter>) {
            state_of(value, *this);
        } else if constexpr (is_plain<T>) {
            out_ += static_cast<char>(size_mark<T>);
            put_bytes(&value, sizeof value);
        } else if constexpr (std::is_same_v<T, std::string>) {
            put_count(value.size());
            put_bytes(value.data(), value.size());
        } else if constexpr (is_a<T, std::optional> || is_a<T, std::unique_ptr>) {
            const bool has = static_cast<bool>(value);
            put(has);
            if (has) put(*value);
        } else if constexpr (is_a<T, std::pair>) {
            put(value.first);
            put(value.second);
        } else if constexpr (is_a<T, std::tuple>) {
            std::apply([&](auto&... parts) { (put(parts), ...); }, value);
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
            put_count(value.size());
            for (const bool bit : value) out_ += static_cast<char>(bit);
        } else if constexpr (is_list_of_bytes<T, ArchiveWriter>) {
            put_columns(value);
        } else if constexpr (is_a<T, LongList>) {
            put_count(value.size());
            for (size_t i = 0; i < value.size(); ++i) put(value[i]);
        } else {
            static_assert(is_list<T> || IsMap<T> || IsSet<T>,
                          "this type has no list of its members");
            put_each(value);
        }
    }

    Sink sink_;
    std::string out_;
};

class ArchiveReader {
public:
    static constexpr bool reads = true;

    // Returns the next piece, which is not empty, and valid until the next call.
    using Source = std::function<std::string_view()>;

    // `bytes`: of all pieces.
    ArchiveReader(uint64_t bytes, Source source) : after_(bytes), source_(std::move(source)) {}
    // `bytes` must outlive the object.
    explicit ArchiveReader(std::string_view bytes) : piece_(bytes) {}

    template <class... Values>
    void operator()(Values&... values) {
        (get(values), ...);
    }

    // Throws BadArchive if this is not so.
    static void require(bool is_sound, const char* what) {
        if (!is_sound) throw BadArchive(what);
    }
    // Throws BadArchive if is_sound() is false: numbers that were read point to nothing.
    void check(auto&& is_sound, const char* what) const { require(is_sound(), what); }
    // Call after the last value.
    void end() const { require(left() == 0, "there is more than should be"); }

private:
    void get_bytes(void* bytes, size_t size) {
        require(size <= left(), "it ends too early");
        auto* to = static_cast<char*>(bytes);
        while (size > piece_.size()) {
            to = std::copy(piece_.begin(), piece_.end(), to);
            size -= piece_.size();
            piece_ = source_();
            require(!piece_.empty() && piece_.size() <= after_, "there is more than should be");
            after_ -= piece_.size();
        }
        std::copy_n(piece_.data(), size, to);
        piece_.remove_prefix(size);
    }
    uint64_t left() const { return piece_.size() + after_; }
    // Each of them takes a byte at least.
    size_t get_count() {
        uint64_t count = 0;
        get(count);
        require(count <= left(), "a length in it is too large");
        return count;
    }
    template <class T>
    void get_mark() {
        uint8_t mark = 0;
        get_bytes(&mark, 1);
        require(mark == archived::size_mark<T>, "its objects have another form");
    }

    template <class T>
    void get(T& value) {
        using namespace archived;
        if constexpr (ListsItsState<T, ArchiveReader>) {
            T::state(value, *this);
        } else if constexpr (HasStateFunction<T, ArchiveReader>) {
            state_of(value, *this);
        } else if constexpr (std::is_same_v<T, bool>) {
            get_mark<T>();
            uint8_t byte = 0;
            get_bytes(&byte, 1);
            require(byte <= 1, "a truth value in it is none");
            value = byte == 1;
        } else if constexpr (is_plain<T>) {
            get_mark<T>();
            get_bytes(&value, sizeof value);
        } else if constexpr (std::is_same_v<T, std::string>) {
            value.resize(get_count());
            get_bytes(value.data(), value.size());
        } else if constexpr (is_a<T, std::optional>) {
            bool has = false;
            get(has);
            if (has) get(value.emplace());
            else value.reset();
        } else if constexpr (is_a<T, std::unique_ptr>) {
            // The object was made by whoever owns it, because its making takes more than bytes.
            bool has = false;
            get(has);
            require(has == static_cast<bool>(value), "an object in it has no place");
            if (has) get(*value);
        } else if constexpr (is_a<T, std::pair>) {
            get(value.first);
            get(value.second);
        } else if constexpr (is_a<T, std::tuple>) {
            std::apply([&](auto&... parts) { (get(parts), ...); }, value);
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
            value.assign(get_count(), false);
            for (size_t i = 0; i < value.size(); ++i) {
                uint8_t byte = 0;
                get_bytes(&byte, 1);
                value[i] = byte != 0;
            }
        } else if constexpr (is_list_of_bytes<T, ArchiveReader>) {
            get_columns(value);
        } else if constexpr (is_a<T, LongList>) {
            value.clear();
            for (size_t left = get_count(); left > 0; --left) value.push_back(next_of(value));
        } else if constexpr (IsMap<T>) {
            value.clear();
            const size_t count = get_count();
            // The entries come in the order of their hashes. A table that grew with them would put
            // all of them into its first places.
            if constexpr (requires { value.reserve(count); }) value.reserve(count);
            for (size_t left = count; left > 0; --left) {
                typename T::key_type key{};
                typename T::mapped_type mapped{};
                get(key);
                get(mapped);
                value.emplace(std::move(key), std::move(mapped));
            }
        } else if constexpr (IsSet<T>) {
            value.clear();
            for (size_t left = get_count(); left > 0; --left) {
                typename T::key_type key{};
                get(key);
                value.insert(std::move(key));
            }
        } else {
            static_assert(is_list<T>, "this type has no list of its members");
            value.clear();
            for (size_t left = get_count(); left > 0; --left) get(value.emplace_back());
        }
    }

    template <class List>
    void get_columns(List& list) {
        using Element = std::remove_cvref_t<decltype(list[0])>;
        uint64_t count = 0;
        get(count);
        get_mark<Element>();
        require(count <= left() / sizeof(Element), "a length in it is too large");
        list.clear();
        list.resize(count);
        if constexpr (sizeof(Element) == 1 && archived::is_a<List, std::vector>)
            return get_bytes(list.data(), count);
        std::string columns;
        for (size_t begin = 0; begin < count;) {
            const size_t rows = std::min<size_t>(archived::rows_max, count - begin);
            columns.resize(rows * sizeof(Element));
            get_bytes(columns.data(), columns.size());
            for (size_t i = 0; i < rows; ++i) {
                auto* bytes = reinterpret_cast<char*>(&list[begin + i]);
                for (size_t k = 0; k < sizeof(Element); ++k) bytes[k] = columns[k * rows + i];
            }
            begin += rows;
        }
    }

    template <class T>
    T next_of(const LongList<T>&) {
        T value{};
        get(value);
        return value;
    }

    std::string_view piece_;
    uint64_t after_ = 0;  // bytes of the pieces that follow
    Source source_;
};

}  // namespace memtrace::analyzer
