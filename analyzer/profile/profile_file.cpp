// SPDX-License-Identifier: Apache-2.0
#include "analyzer/profile/profile_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <memory>

#include "analyzer/base/error.h"
#include "analyzer/base/saturating.h"
#include "analyzer/base/terminal.h"
#include "analyzer/base/units.h"
#include "analyzer/profile/profile.pb.h"
#include "analyzer/profile/profile_parts.h"
#include "memtrace/dump/hash.h"

namespace memtrace::analyzer {
namespace {

// Level 9 makes the file of a PyTorch run a twentieth smaller and takes half as much time again.
constexpr int zstd_level = 6;

struct Header {
    char magic[16];
    uint64_t version;
    uint64_t raw_size;
    uint64_t stored_size;
    uint64_t payload_checksum;
    uint64_t header_checksum;  // of the members above
};
static_assert(sizeof(Header) == 56);

uint64_t checksum_of(const Header& header) {
    return hash_bytes(&header, offsetof(Header, header_checksum));
}

[[noreturn]] void fail_damaged(const std::string& path, const std::string& what) {
    throw Error(
        fmt::format("{} is a damaged profile: {}. Copy it again, or make it again with "
                    "memtrace-report profile.",
                    printable(path), what));
}

class File {
public:
    explicit File(const std::string& path)
        : fd_(path == "-" ? dup(0) : open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
    ~File() {
        if (fd_ >= 0) close(fd_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    bool is_open() const { return fd_ >= 0; }

    // Returns fewer bytes than `size` at the end of the file. Nothing if it cannot be read, or not
    // from any place, as a pipe.
    std::string read(uint64_t offset, size_t size) const {
        std::string bytes(size, '\0');
        size_t have = 0;
        while (have < size) {
            const ssize_t count =
                pread(fd_, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            have += static_cast<size_t>(count);
        }
        bytes.resize(have);
        return bytes;
    }

private:
    int fd_;
};

Header read_header(std::string_view bytes, const std::string& path) {
    Header header;
    if (bytes.size() < sizeof header) fail_damaged(path, "it ends inside its header");
    std::memcpy(&header, bytes.data(), sizeof header);
    if (std::memcmp(header.magic, profile_magic.data(), sizeof header.magic) != 0) {
        throw Error(fmt::format("{} is not a profile: it does not begin with \"{}\".",
                                printable(path), profile_magic));
    }
    if (header.header_checksum != checksum_of(header)) {
        fail_damaged(path, "its header does not have the checksum that it should have");
    }
    if (header.version == 0 || header.version > profile_version) {
        throw Error(
            fmt::format("{} is a profile of version {}, and this memtrace-report reads versions up "
                        "to {}. Use a newer memtrace-report.",
                        printable(path), header.version, profile_version));
    }
    return header;
}

// A profile is some ten times as large when it is unpacked. A small file that unpacks to gigabytes
// is not one.
void refuse_bomb(const Header& header, const std::string& path) {
    constexpr uint64_t ratio_max = 1024, allowance = uint64_t{1} << 20;
    const uint64_t most = std::min<uint64_t>(
        saturating_sum({saturating_product(header.stored_size, ratio_max), allowance}),
        std::numeric_limits<int>::max());
    if (header.raw_size <= most) return;
    fail_damaged(path, fmt::format("it would unpack to {}, and a profile of its size to {} at most",
                                   human_bytes(header.raw_size), human_bytes(most)));
}

// Grows with what there really is, so that an impossible size costs no memory.
std::string unpack(std::string_view stored, uint64_t raw_size, const std::string& path) {
    constexpr size_t part = size_t{1} << 20;
    const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
    std::string raw;
    ZSTD_inBuffer in{stored.data(), stored.size(), 0};
    for (size_t left = 1; left != 0;) {
        const size_t have = raw.size();
        if (have > raw_size) break;
        raw.resize(have + part);
        ZSTD_outBuffer out{raw.data(), raw.size(), have};
        left = ZSTD_decompressStream(stream.get(), &out, &in);
        const bool is_stuck = out.pos == have && in.pos == in.size;
        raw.resize(out.pos);
        if (ZSTD_isError(left) || (is_stuck && left != 0)) {
            fail_damaged(path, "its payload cannot be unpacked");
        }
    }
    if (raw.size() != raw_size || in.pos != in.size) {
        fail_damaged(path, "its payload has another size than its header says");
    }
    return raw;
}

}  // namespace

std::string write_profile(const Recording& recording) {
    std::string raw;
    {
        stored::Profile file;
        write_head(recording, file);
        const std::vector<uint32_t> nodes = write_tree(recording, file);
        write_figures(recording, nodes, file);
        write_loops(recording, file);
        write_gpu(recording, nodes, file);
        write_host(recording, nodes, file);
        if (file.ByteSizeLong() > std::numeric_limits<int>::max()) {
            throw Error(
                fmt::format("{} has too many call stacks for a profile, which can have 2 GiB.",
                            printable(recording.path)));
        }
        file.SerializeToString(&raw);
    }
    Header header{};
    std::string bytes(sizeof header + ZSTD_compressBound(raw.size()), '\0');
    const size_t stored = ZSTD_compress(bytes.data() + sizeof header, bytes.size() - sizeof header,
                                        raw.data(), raw.size(), zstd_level);
    if (ZSTD_isError(stored)) {
        throw Error(fmt::format("cannot pack the profile of {}: {}", printable(recording.path),
                                ZSTD_getErrorName(stored)));
    }
    bytes.resize(sizeof header + stored);
    std::memcpy(header.magic, profile_magic.data(), sizeof header.magic);
    header.version = profile_version;
    header.raw_size = raw.size();
    header.stored_size = stored;
    header.payload_checksum = hash_bytes(bytes.data() + sizeof header, stored);
    header.header_checksum = checksum_of(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

bool is_profile(const std::string& path) {
    const File file(path);
    return file.is_open() && file.read(0, profile_magic.size()) == profile_magic;
}

Recording read_profile_bytes(std::string_view bytes, const std::string& path, bool with_histories) {
    const Header header = read_header(bytes, path);
    const std::string_view stored = bytes.substr(sizeof header);
    if (stored.size() != header.stored_size) {
        fail_damaged(path, fmt::format("its payload has {} bytes instead of {}", stored.size(),
                                       header.stored_size));
    }
    if (hash_bytes(stored.data(), stored.size()) != header.payload_checksum) {
        fail_damaged(path, "its payload does not have the checksum that it should have");
    }
    refuse_bomb(header, path);
    stored::Profile file;
    {
        const std::string raw = unpack(stored, header.raw_size, path);
        const bool fits = raw.size() <= std::numeric_limits<int>::max();
        if (!fits || !file.ParseFromArray(raw.data(), static_cast<int>(raw.size()))) {
            fail_damaged(path, "its payload is not that of a profile");
        }
    }
    Recording recording;
    try {
        read_head(recording, file);
        read_tree(recording, file);
        file.clear_names();
        file.clear_tree();
        read_figures(recording, file, with_histories);
        read_loops(recording, file);
        read_gpu(recording, file);
        read_host(recording, file);
    } catch (const BadProfile& bad) {
        fail_damaged(path, fmt::format("{} cannot be right", bad.what()));
    }
    return recording;
}

Recording read_profile(const std::string& path, bool with_histories) {
    const File file(path);
    if (!file.is_open()) {
        throw Error(fmt::format("cannot open {}: {}", printable(path), std::strerror(errno)));
    }
    const std::string head = file.read(0, sizeof(Header));
    const Header header = read_header(head, path);
    constexpr uint64_t most = uint64_t{1} << 40;
    std::string bytes;
    // One byte more than there should be tells a file that is too long.
    for (uint64_t wanted = std::min(header.stored_size, most) + sizeof header + 1;
         bytes.size() < wanted;) {
        constexpr uint64_t part = uint64_t{64} << 20;
        const std::string more = file.read(bytes.size(), std::min(part, wanted - bytes.size()));
        if (more.empty()) break;
        bytes += more;
    }
    return read_profile_bytes(bytes, path, with_histories);
}

}  // namespace memtrace::analyzer
