// SPDX-License-Identifier: Apache-2.0
//
// Bounds the memory of unpacked chunks. A dump of a few kilobytes can have a thousand lanes whose
// chunks unpack to 64 MiB each, and the lanes are read side by side. So only the chunks that were
// read last stay unpacked. A lane whose chunk was let go unpacks it again when its turn comes.
//
// The chunks of real programs unpack to some 200 KiB, so this begins with some 300 threads that
// allocate at the same time.
#pragma once

#include <cstddef>
#include <list>

namespace memtrace::analyzer {

class OpenChunks {
public:
    explicit OpenChunks(size_t bytes_max = size_t{128} << 20) : bytes_max_(bytes_max) {}

    // Something that holds an unpacked chunk.
    class Holder {
    public:
        virtual ~Holder() = default;
        // Gives the memory back. Everything that was already read stays valid.
        virtual void let_go() = 0;

    private:
        friend class OpenChunks;
        std::list<Holder*>::iterator place_;
        size_t bytes_ = 0;  // 0: not in the list
    };

    // The holder has now this many bytes, and needs them next. Others may have to let go.
    void use(Holder& holder, size_t bytes) {
        remove(holder);
        if (bytes == 0) return;
        holder.place_ = holders_.insert(holders_.begin(), &holder);
        holder.bytes_ = bytes;
        bytes_ += bytes;
        while (bytes_ > bytes_max_ && holders_.back() != &holder) {
            Holder& oldest = *holders_.back();
            remove(oldest);
            oldest.let_go();
        }
    }

    size_t bytes() const { return bytes_; }

private:
    void remove(Holder& holder) {
        if (holder.bytes_ == 0) return;
        holders_.erase(holder.place_);
        bytes_ -= holder.bytes_;
        holder.bytes_ = 0;
    }

    size_t bytes_max_;
    std::list<Holder*> holders_;  // the one used last comes first
    size_t bytes_ = 0;
};

}  // namespace memtrace::analyzer
