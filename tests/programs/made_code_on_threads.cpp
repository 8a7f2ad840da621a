// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// run: scope=own
// Two threads make and register thousands of functions each, and remove them, while two others
// allocate through theirs.
#include <atomic>

#include "made_code.h"
#include "support.h"

namespace {

constexpr size_t room_of_a_function = made_code_bytes + made_tables_bytes;
constexpr int functions = 4000;
std::atomic<bool> stop{false};
std::atomic<int> allocated{0};

void allocate(void*) {
    free(malloc(40));
    allocated += 1;
}

void call(unsigned char* code) {
    made_step inner{allocate, 0, nullptr, nullptr, nullptr, nullptr};
    made_step outer{made_function(code), 0, &inner, nullptr, nullptr, nullptr};
    outer.run(&outer);
}

void make(unsigned char* code, int i) {
    const made_saves saves = i % 2 == 0 ? made_saves_rbx : made_saves_rbp;
    const uint32_t frame_bytes = 16u * (1 + static_cast<uint32_t>(i) % 9);
    make_code(code, saves, frame_bytes);
    make_tables(code + made_code_bytes, code, saves, frame_bytes);
    __register_frame(code + made_code_bytes);
}

void* register_many(void*) {
    unsigned char* const region = made_region(functions * room_of_a_function);
    CHECK(region != nullptr);
    for (int turn = 0; turn < 2; ++turn) {
        for (int i = 0; i < functions; ++i) {
            make(region + i * room_of_a_function, i + turn);
            if (i % 100 == 0) call(region + i * room_of_a_function);
        }
        for (int i = 0; i < functions; ++i) {
            __deregister_frame(region + i * room_of_a_function + made_code_bytes);
        }
    }
    CHECK(munmap(region, functions * room_of_a_function) == 0);
    return nullptr;
}

void* call_often(void*) {
    unsigned char* const region = made_region(4096);
    CHECK(region != nullptr);
    make(region, 3);
    while (!stop) call(region);
    __deregister_frame(region + made_code_bytes);
    CHECK(munmap(region, 4096) == 0);
    return nullptr;
}

}  // namespace

int main() {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) {
        void* (*const work)(void*) = i < 2 ? register_many : call_often;
        CHECK(pthread_create(&threads[i], nullptr, work, nullptr) == 0);
    }
    for (int i = 0; i < 2; ++i) CHECK(pthread_join(threads[i], nullptr) == 0);
    stop = true;
    for (int i = 2; i < 4; ++i) CHECK(pthread_join(threads[i], nullptr) == 0);
    CHECK(allocated > 160);
    say("done\n");
    return 0;
}
