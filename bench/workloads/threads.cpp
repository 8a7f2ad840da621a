// SPDX-License-Identifier: Apache-2.0
//
// THREADS threads allocate. The next thread of the circle takes each block from a mailbox and frees
// it.  threads THREADS COUNT   (COUNT: allocations of all threads)
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include "descend.h"

namespace {

constexpr unsigned levels = 5;

struct alignas(64) Mailbox {
    static constexpr unsigned places = 256;
    std::atomic<char*> letters[places] = {};
};

}  // namespace

struct Worker {
    uint64_t random = 0;
    uint64_t sum = 0;
    uint64_t turn = 0;
    Mailbox* from = nullptr;
    Mailbox* to = nullptr;
};

NOINLINE void at_the_bottom(Worker* worker) {
    const uint64_t place = worker->turn++ % Mailbox::places;
    const uint64_t size = some_size(next_random(&worker->random));
    char* block = static_cast<char*>(std::malloc(size));
    *block = static_cast<char>(size);
    worker->sum += size;
    // A block that was not taken returns to its sender.
    std::free(worker->to->letters[place].exchange(block));
    std::free(worker->from->letters[place].exchange(nullptr));
}

int main(int argc, char** argv) {
    if (argc != 3) return std::fprintf(stderr, "usage: threads THREADS COUNT\n"), 2;
    const auto count = static_cast<unsigned>(std::atoi(argv[1]));
    const long turns = std::atol(argv[2]) / count;
    std::vector<Mailbox> mailboxes(count);
    std::vector<Worker> workers(count);
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < count; ++i) {
        workers[i].random = 88172645463325252u + i;
        workers[i].from = &mailboxes[i];
        workers[i].to = &mailboxes[(i + 1) % count];
        threads.emplace_back([worker = &workers[i], turns] {
            for (long turn = 0; turn < turns; ++turn) {
                descend(worker, next_random(&worker->random), levels);
            }
        });
    }
    uint64_t sum = 0;
    for (unsigned i = 0; i < count; ++i) {
        threads[i].join();
        sum += workers[i].sum;
    }
    for (Mailbox& mailbox : mailboxes) {
        for (std::atomic<char*>& letter : mailbox.letters) std::free(letter.load());
    }
    std::printf("asked for %llu bytes\n", static_cast<unsigned long long>(sum));
    return 0;
}
