// SPDX-License-Identifier: Apache-2.0
#include "analyzer/export/gzip_stream.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

#include "analyzer/base/error.h"

namespace memtrace::analyzer {

namespace {

constexpr int gzip_window = 15 + 16;  // The largest window; 16 stands for gzip's head and foot.
constexpr int memory_level = 8;       // zlib's default

}  // namespace

struct GzipStream::State {
    z_stream stream{};
    std::array<char, 1 << 16> out{};
};

GzipStream::GzipStream(const std::function<void(std::string_view)>& write)
    : write_(write), state_(std::make_unique<State>()) {
    if (deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_window, memory_level,
                     Z_DEFAULT_STRATEGY) != Z_OK) {
        throw Error("there is not enough memory to compress the file");
    }
}

GzipStream::~GzipStream() { deflateEnd(&state_->stream); }

void GzipStream::write(std::string_view bytes) {
    constexpr size_t most = std::numeric_limits<uInt>::max();
    for (; !bytes.empty(); bytes.remove_prefix(std::min(bytes.size(), most))) {
        pump(bytes.substr(0, most), Z_NO_FLUSH);
    }
}

void GzipStream::finish() { pump({}, Z_FINISH); }

void GzipStream::pump(std::string_view bytes, int flush) {
    z_stream& stream = state_->stream;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
    stream.avail_in = static_cast<uInt>(bytes.size());
    do {
        stream.next_out = reinterpret_cast<Bytef*>(state_->out.data());
        stream.avail_out = static_cast<uInt>(state_->out.size());
        deflate(&stream, flush);
        write_({state_->out.data(), state_->out.size() - stream.avail_out});
    } while (stream.avail_out == 0);
}

}  // namespace memtrace::analyzer
