// run: manual
// truth: allocations=-1 frees=-1 bytes=-1 leaked_blocks=-1 leaked_bytes=-1
// Calls through code that is made at run time, with tables that are registered in every possible
// way, and without tables. Writes its true stacks to the file that is its argument.
#include "made_code.h"
#include "true_stack.h"

extern "C" {
void __register_frame_info(const void* begin, void* object);
void __register_frame_info_bases(const void* begin, void* object, void* text, void* data);
void __register_frame_table(void* begin);
void __register_frame_info_table(void* begin, void* object);
void __register_frame_info_table_bases(void* begin, void* object, void* text, void* data);
void* __deregister_frame_info(const void* begin);
void* __deregister_frame_info_bases(const void* begin);
}

namespace {

unsigned char* region;
size_t size_wanted;
void* volatile block;

// The innermost step. The made functions outside it have stored their return addresses.
__attribute__((noinline)) void allocate(void* argument) {
    const auto* const step = static_cast<const made_step*>(argument);
    const unsigned depth = true_stack.depth;
    unsigned made = 0;
    for (const made_step* outer = step->outer; outer != nullptr; outer = outer->outer) ++made;
    true_stack.depth += made;
    unsigned place = true_stack.depth;
    for (const made_step* outer = step->outer; outer != nullptr; outer = outer->outer) {
        true_stack.returns_to[--place] = outer->return_address;
    }
    {
        TRUE_CALL();
        block = malloc(size_wanted);
        write_truth(size_wanted);
        free(block);
    }
    true_stack.depth = depth;
}

// Made functions at the n-th place and the one after it.
unsigned char* code_at(unsigned n) { return region + n * (made_code_bytes + made_tables_bytes); }
unsigned char* tables_at(unsigned n) { return code_at(n) + made_code_bytes; }

void make(unsigned n, made_saves saves, uint32_t frame_bytes) {
    make_code(code_at(n), saves, frame_bytes);
    make_tables(tables_at(n), code_at(n), saves, frame_bytes);
}

__attribute__((noinline)) void call_one(unsigned n, size_t size) {
    TRUE_CALL();
    size_wanted = size;
    made_step inner{allocate, 0, nullptr, nullptr, nullptr, nullptr};
    made_step outer{made_function(code_at(n)), 0, &inner, nullptr, nullptr, nullptr};
    inner.outer = &outer;
    outer.run(&outer);
}

__attribute__((noinline)) void call_two(unsigned n, size_t size) {
    TRUE_CALL();
    size_wanted = size;
    made_step inner{allocate, 0, nullptr, nullptr, nullptr, nullptr};
    made_step middle{made_function(code_at(n + 1)), 0, &inner, nullptr, nullptr, nullptr};
    made_step outer{made_function(code_at(n)), 0, &middle, nullptr, nullptr, nullptr};
    inner.outer = &middle;
    middle.outer = &outer;
    outer.run(&outer);
}

// 1xxx: all frames must be there.
__attribute__((noinline)) void registered() {
    TRUE_CALL();
    make(0, made_saves_rbp, 208);
    make(1, made_saves_rbx, 16);
    __register_frame(tables_at(0));
    __register_frame(tables_at(1));
    for (int turn = 0; turn < 3; ++turn) {
        call_one(0, 1000);
        call_one(1, 1001);
        call_two(0, 1002);
    }
    __deregister_frame(tables_at(1));
    __deregister_frame(tables_at(0));
}

// The same call at the same address, with other frames around it, again and again.
__attribute__((noinline)) void replaced() {
    TRUE_CALL();
    for (unsigned turn = 0; turn < 20; ++turn) {
        make(2, turn % 2 == 0 ? made_saves_rbx : made_saves_rbp, 16 + 16 * turn);
        __register_frame(tables_at(2));
        call_one(2, 1100 + turn);
        __deregister_frame(tables_at(2));
    }
}

__attribute__((noinline)) void registered_in_other_ways() {
    TRUE_CALL();
    static void* object[8];  // libgcc keeps its notes there
    static void* list[] = {tables_at(3), tables_at(4), nullptr};
    make(3, made_saves_rbx, 48);
    make(4, made_saves_rbp, 96);
    __register_frame_info(tables_at(3), object);
    call_one(3, 1201);
    CHECK(__deregister_frame_info(tables_at(3)) == object);
    __register_frame_info_bases(tables_at(3), object, nullptr, nullptr);
    call_one(3, 1202);
    CHECK(__deregister_frame_info_bases(tables_at(3)) == object);
    __register_frame_info_table(list, object);
    call_two(3, 1203);
    CHECK(__deregister_frame_info(list) == object);
    __register_frame_info_table_bases(list, object, nullptr, nullptr);
    call_two(3, 1204);
    CHECK(__deregister_frame_info_bases(list) == object);
    __register_frame_table(list);
    call_two(3, 1205);
    __deregister_frame(list);
    const uint32_t empty[2] = {};
    __register_frame_info(empty, object);
    CHECK(__deregister_frame_info(empty) == nullptr);
}

// 2xxx: the frames that are there must be true, and the end must be marked.
__attribute__((noinline)) void not_registered() {
    TRUE_CALL();
    make(5, made_saves_rbx, 64);
    make(6, made_saves_rbp, 64);
    call_one(5, 2000);
    call_one(6, 2001);
    call_two(5, 2002);
    call_one(0, 2003);  // was registered before
}

}  // namespace

int main(int count, char** arguments) {
    TRUE_CALL();
    if (count > 1) truth_file = fopen(arguments[1], "w");
    region = made_region(4096);
    CHECK(region != nullptr);
    registered();
    replaced();
    registered_in_other_ways();
    not_registered();
    if (truth_file != nullptr) fclose(truth_file);
    say("done\n");
    return 0;
}
