// SPDX-License-Identifier: Apache-2.0
//
// A profile, which is read wherever a dump is. Inputs are changed inside of its payload, and its
// checksums made to fit (profile_file.h).
#include <algorithm>
#include <cstring>

#include <zstd.h>

#include "memtrace/dump/hash.h"
#include "tests/fuzz/report_run.h"
#include "tests/fuzz/targets.h"

namespace memtrace::test {
namespace {

struct Header {
    char magic[16];
    uint64_t version;
    uint64_t raw_size;
    uint64_t stored_size;
    uint64_t payload_checksum;
    uint64_t header_checksum;
};
constexpr size_t raw_max = 1 << 20;

}  // namespace

size_t mutate_profile(uint8_t* data, size_t size, size_t size_max, unsigned seed,
                      const ChangeBytes& change) {
    if (size < sizeof(Header) || seed % 16 == 0) return change(data, size, size_max);
    Header header;
    std::memcpy(&header, data, sizeof header);
    Bytes raw(std::min<uint64_t>(header.raw_size, raw_max));
    const size_t got =
        ZSTD_decompress(raw.data(), raw.size(), data + sizeof header, size - sizeof header);
    if (ZSTD_isError(got)) return change(data, size, size_max);
    raw.resize(got + 64);
    raw.resize(change(raw.data(), got, raw.size()));
    Bytes stored(ZSTD_compressBound(raw.size()));
    stored.resize(ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), 1));
    if (sizeof header + stored.size() > size_max) return size;
    header.raw_size = raw.size();
    header.stored_size = stored.size();
    header.payload_checksum = hash_bytes(stored.data(), stored.size());
    header.header_checksum = hash_bytes(&header, offsetof(Header, header_checksum));
    std::memcpy(data, &header, sizeof header);
    std::copy(stored.begin(), stored.end(), data + sizeof header);
    return sizeof header + stored.size();
}

void run_profile(const uint8_t* data, size_t size) { report_on(Bytes(data, data + size)); }

}  // namespace memtrace::test
