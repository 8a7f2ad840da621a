// SPDX-License-Identifier: Apache-2.0
#include "analyzer/reader/packed_state.h"

#include <utility>

#include <fmt/format.h>
#include <zstd.h>

#include "analyzer/base/error.h"
#include "analyzer/base/terminal.h"

namespace memtrace::analyzer {
namespace {

constexpr int packing_level = 3;

}  // namespace

struct StatePacker::Stream {
    struct Free {
        void operator()(ZSTD_CStream* stream) const { ZSTD_freeCStream(stream); }
    };
    std::unique_ptr<ZSTD_CStream, Free> zstd{ZSTD_createCStream()};
    std::string room = std::string(ZSTD_CStreamOutSize(), '\0');

    void add(std::string_view piece, ZSTD_EndDirective how, std::string& to) {
        ZSTD_inBuffer in{piece.data(), piece.size(), 0};
        for (size_t left = 1; left > 0;) {
            ZSTD_outBuffer out{room.data(), room.size(), 0};
            left = ZSTD_compressStream2(zstd.get(), &out, &in, how);
            if (ZSTD_isError(left)) throw Error("zstd could not pack what the dump amounts to");
            to.append(room, 0, out.pos);
            if (how == ZSTD_e_continue) left = in.size - in.pos;
        }
    }
};

StatePacker::StatePacker() : stream_(std::make_unique<Stream>()) {
    ZSTD_CCtx_setParameter(stream_->zstd.get(), ZSTD_c_compressionLevel, packing_level);
}

StatePacker::~StatePacker() = default;

void StatePacker::add(std::string_view piece) {
    stream_->add(piece, ZSTD_e_continue, state_.bytes);
    state_.raw_bytes += piece.size();
}

PackedState StatePacker::finish() {
    stream_->add({}, ZSTD_e_end, state_.bytes);
    return std::move(state_);
}

struct StateUnpacker::Stream {
    struct Free {
        void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
    };
    std::unique_ptr<ZSTD_DStream, Free> zstd{ZSTD_createDStream()};
    ZSTD_inBuffer in{};
    bool has_ended = false;
};

StateUnpacker::StateUnpacker(const Past& past, const DumpFile& file)
    : file_(file), stream_(std::make_unique<Stream>()), piece_(ZSTD_DStreamOutSize(), '\0') {
    stream_->in = {file.data() + past.packed_at, past.packed_bytes, 0};
}

StateUnpacker::~StateUnpacker() = default;

std::string_view StateUnpacker::next() {
    const std::string_view piece = unpack();
    if (piece.empty()) refuse();
    return piece;
}

void StateUnpacker::end() {
    if (!unpack().empty() || stream_->in.pos < stream_->in.size) refuse();
}

// Returns nothing if the end has come.
std::string_view StateUnpacker::unpack() {
    ZSTD_outBuffer out{piece_.data(), piece_.size(), 0};
    while (out.pos == 0 && !stream_->has_ended) {
        const size_t before = stream_->in.pos;
        const size_t wanted = ZSTD_decompressStream(stream_->zstd.get(), &out, &stream_->in);
        const bool goes_on = out.pos > 0 || stream_->in.pos > before;
        stream_->has_ended = wanted == 0;
        if (ZSTD_isError(wanted) || (!goes_on && !stream_->has_ended)) refuse();
    }
    return {piece_.data(), out.pos};
}

void StateUnpacker::refuse() const {
    throw Error(
        fmt::format("{} was compacted, and what it was compacted to cannot be unpacked. Use a copy "
                    "of it from before.",
                    printable(file_.path())));
}

}  // namespace memtrace::analyzer
