// SPDX-License-Identifier: Apache-2.0
//
// Gives the targets every file of their corpora, and each file again with changes:
// what of fuzzing needs no libFuzzer.
//
//   memtrace-fuzz-replay CORPUS [CHANGES]     CORPUS has a folder for each target
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/targets.h"

namespace memtrace::test {
namespace {

using Bytes = std::vector<uint8_t>;

constexpr size_t size_max = 1 << 16;

struct Target {
    const char* name;
    void (*run)(const uint8_t*, size_t);
    Mutator* mutator;
};

constexpr Target targets[] = {
#define MEMTRACE_FUZZ_TARGET(name, mutator) {#name, run_##name, mutator},
#include "tests/fuzz/targets.def"
};

Bytes read_file(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return Bytes(std::istreambuf_iterator<char>(in), {});
}

// Changes, inserts or removes a few bytes, or repeats some.
size_t change_bytes(uint8_t* data, size_t size, size_t most, std::mt19937& random) {
    for (unsigned n = 1 + random() % 4; n > 0; --n) {
        const size_t at = size == 0 ? 0 : random() % size;
        const size_t length = std::min<size_t>(1 + random() % 8, size - at);
        switch (random() % 4) {
            case 0:
                if (size > 0) data[at] = static_cast<uint8_t>(random());
                break;
            case 1:
                std::copy(data + at + length, data + size, data + at);
                size -= length;
                break;
            case 2:
                if (size + length > most) break;
                std::copy_backward(data + at, data + size, data + size + length);
                size += length;
                break;
            default:
                for (size_t i = at; i < at + length; ++i)
                    data[i] = random() % 2 ? 0xff : static_cast<uint8_t>(random() % 3);
        }
    }
    return size;
}

void replay(const Target& target, const Bytes& input, unsigned changes) {
    target.run(input.data(), input.size());
    std::mt19937 random(static_cast<unsigned>(input.size()));
    Bytes bytes(size_max);
    for (unsigned seed = 0; seed < changes; ++seed) {
        const size_t whole = std::min(input.size(), size_max);
        std::copy_n(input.begin(), whole, bytes.begin());
        const size_t size = target.mutator(bytes.data(), whole, size_max, seed,
                                           [&](uint8_t* data, size_t now, size_t most) {
                                               return change_bytes(data, now, most, random);
                                           });
        target.run(bytes.data(), size);
    }
}

// Returns the number of inputs of the target.
int replay_folder(const Target& target, const std::filesystem::path& folder, unsigned changes) {
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder / target.name))
        files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
        // The last line before a crash names its input. Standard output is for the targets.
        std::fprintf(stderr, "%s\n", file.c_str());
        replay(target, read_file(file), changes);
    }
    return static_cast<int>(files.size());
}

int main(int argc, char** argv) {
    if (argc != 2 && argc != 3) {
        std::fputs("usage: memtrace-fuzz-replay CORPUS [CHANGES]\n", stderr);
        return 2;
    }
    const unsigned changes = argc == 3 ? static_cast<unsigned>(std::atoi(argv[2])) : 0;
    bool is_complete = true;
    for (const Target& target : targets) is_complete &= replay_folder(target, argv[1], changes) > 0;
    return is_complete ? 0 : 1;
}

}  // namespace
}  // namespace memtrace::test

int main(int argc, char** argv) { return memtrace::test::main(argc, argv); }
