// SPDX-License-Identifier: Apache-2.0
//
// Compresses what is written to it, piece by piece, as a file of gzip. Equal contents give equal
// files: there is no time in them.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

namespace memtrace::analyzer {

class GzipStream {
public:
    // `write` must outlive the stream.
    explicit GzipStream(const std::function<void(std::string_view)>& write);
    ~GzipStream();
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;

    void write(std::string_view bytes);
    void finish();  // must be called once, after the last write

private:
    struct State;
    void pump(std::string_view bytes, int flush);

    const std::function<void(std::string_view)>& write_;
    std::unique_ptr<State> state_;
};

}  // namespace memtrace::analyzer
