// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_file.h"

#include <zstd.h>

#include <cstring>
#include <random>

#include "analyzer/base/error.h"
#include "memtrace/dump/hash.h"
#include "tests/tools/repetitions.h"
#include "tests/unit/analyzer/profile/profiles.h"

using namespace memtrace::analyzer;
using Catch::Matchers::Contains;

namespace {

constexpr size_t header_bytes = 56;

// Returns the sentence with which the bytes are refused, or "" if they are read.
std::string why_not_read(std::string_view bytes) {
    try {
        read_profile_bytes(bytes, "a.profile");
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

std::string payload_of(const std::string& bytes) {
    uint64_t raw_size = 0;
    std::memcpy(&raw_size, bytes.data() + 24, sizeof raw_size);
    std::string raw(raw_size, '\0');
    const size_t size = ZSTD_decompress(raw.data(), raw.size(), bytes.data() + header_bytes,
                                        bytes.size() - header_bytes);
    REQUIRE(size == raw.size());
    return raw;
}

// Returns a file whose checksums are right, whatever its payload is.
std::string file_with(const std::string& raw, uint64_t version = profile_version,
                      std::optional<uint64_t> raw_size = {}) {
    std::string stored(ZSTD_compressBound(raw.size()), '\0');
    stored.resize(ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), 1));
    const uint64_t numbers[] = {version, raw_size.value_or(raw.size()), stored.size(),
                                memtrace::hash_bytes(stored.data(), stored.size())};
    std::string head(profile_magic);
    head.append(reinterpret_cast<const char*>(numbers), sizeof numbers);
    const uint64_t checksum = memtrace::hash_bytes(head.data(), head.size());
    head.append(reinterpret_cast<const char*>(&checksum), sizeof checksum);
    return head + stored;
}

}  // namespace

TEST_CASE("every report of a profile is that of its recording") {
    for (const auto& [name, recording] : all_stories()) {
        INFO(name);
        const Recording read = read_profile_bytes(write_profile(recording), "x");
        CHECK(reports_of(read) == reports_of(recording));
        CHECK(read.path == recording.path);
    }
}

TEST_CASE("a profile that was read is written as it was") {
    for (const auto& [name, recording] : all_stories()) {
        INFO(name);
        const std::string bytes = write_profile(recording);
        CHECK(bytes == write_profile(recording));
        CHECK(write_profile(read_profile_bytes(bytes, "x")) == bytes);
    }
}

TEST_CASE("a profile without any byte, or with a changed one, is refused with a sentence") {
    const std::string bytes = write_profile(completed(full_story()));
    for (size_t size = 0; size < bytes.size(); ++size) {
        CHECK_THAT(why_not_read(std::string_view(bytes).substr(0, size)),
                   Contains("a.profile is a damaged profile: "));
    }
    for (size_t at = 0; at < bytes.size(); ++at) {
        std::string bent = bytes;
        bent[at] = static_cast<char>(bent[at] ^ (1 << at % 8));
        CHECK_THAT(why_not_read(bent), Contains("a.profile is "));
    }
    CHECK_THAT(why_not_read(bytes + "x"), Contains("a.profile is a damaged profile: "));
    CHECK(why_not_read(bytes).empty());
}

TEST_CASE("a profile of a later version is not damaged") {
    const std::string raw = payload_of(write_profile(completed(training().recording)));
    CHECK(why_not_read(file_with(raw)).empty());
    CHECK_THAT(why_not_read(file_with(raw, profile_version + 1)),
               Contains("is a profile of version 2") && Contains("Use a newer memtrace-report"));
}

TEST_CASE("an impossible size costs no memory") {
    const std::string raw = payload_of(write_profile(completed(training().recording)));
    CHECK_THAT(why_not_read(file_with(raw, profile_version, uint64_t{1} << 60)),
               Contains("it would unpack to 1.0 EiB"));
    CHECK_THAT(why_not_read(file_with(raw, profile_version, 1)), Contains("another size"));
}

// Checksums find every accident, so that only a forged file gets this far.
TEST_CASE("a payload with right checksums and wrong numbers is refused or reported") {
    std::mt19937 random(29);
    size_t refused = 0, reported = 0;
    for (const auto& [name, recording] : all_stories()) {
        INFO(name);
        const std::string raw = payload_of(write_profile(recording));
        for (unsigned i = 0; i < memtrace::test::repetitions(200); ++i) {
            std::string bent = raw;
            for (unsigned left = 1 + random() % 3; left > 0; --left) {
                bent[random() % bent.size()] = static_cast<char>(random());
            }
            if (random() % 8 == 0) bent.resize(random() % bent.size());
            const std::string file = file_with(bent);
            if (!why_not_read(file).empty()) {
                ++refused;
                continue;
            }
            Recording read = completed(read_profile_bytes(file, "x"));
            CHECK_FALSE(reports_of(read).empty());
            ++reported;
        }
    }
    CHECK(refused > memtrace::test::repetitions(150));
    CHECK(reported > memtrace::test::repetitions(150));
}

TEST_CASE("profiles are told from other files by their first bytes") {
    const std::string bytes = write_profile(completed(training().recording));
    const memtrace::test::TempFile profile({bytes.begin(), bytes.end()});
    CHECK(is_profile(profile.path()));
    CHECK(write_profile(read_profile(profile.path())) == bytes);
    const memtrace::test::TempFile other({'M', 'E', 'M'});
    CHECK_FALSE(is_profile(other.path()));
    CHECK_FALSE(is_profile("/nonexistent"));
    CHECK_THROWS_AS(read_profile("/nonexistent"), Error);
    CHECK_THROWS_AS(read_profile(other.path()), Error);
}
