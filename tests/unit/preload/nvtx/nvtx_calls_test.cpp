// SPDX-License-Identifier: Apache-2.0
//
// How the shim enters the tables of a library. The effects of the functions are tested end to end
// by nvtx_*.py.
#include "preload/nvtx/nvtx_calls.h"

#include "preload/nvtx/nvtx_names.h"
#include "tests/unit/test.h"

using namespace memtrace::preload::nvtx;

namespace {

void* functions[2][16];
void** places[2][17];
unsigned size_of_core = 16;

int module_table(int module, FunctionTable* table, unsigned* size) {
    if (module != core && module != core2) return 0;
    const int which = module == core ? 0 : 1;
    for (int id = 1; id < 16; ++id) places[which][id] = &functions[which][id];
    *table = places[which];
    *size = which == 0 ? size_of_core : 16;
    return 1;
}

const void* tables(uint32_t which) {
    static const Callbacks callbacks{sizeof callbacks, module_table};
    return which == callbacks_table ? &callbacks : nullptr;
}

const void* no_tables(uint32_t) { return nullptr; }

template <class Function>
void* address(Function* function) {
    return reinterpret_cast<void*>(function);
}

}  // namespace

TEST_CASE("a library gets our functions in the places of its tables, as far as these go") {
    size_of_core = 9;
    REQUIRE(attach(tables));
    CHECK(functions[0][2] == address(&told_MarkA));
    CHECK(functions[0][8] == address(&told_RangePushEx));
    CHECK(functions[0][9] == nullptr);
    CHECK(functions[1][5] == address(&told_DomainRangePop));
    CHECK(functions[1][6] == nullptr);
    CHECK(is_attached(address(&tables)));
    int outside = 0;
    CHECK_FALSE(is_attached(&outside));
    forget_attached();  // The library is still loaded.
    CHECK(is_attached(address(&tables)));
}

TEST_CASE("a library without tables is not attached to") { CHECK_FALSE(attach(no_tables)); }

TEST_CASE("results are those of NVTX without a tool, but for what has to be known later") {
    CHECK(told_RangePushA("a") == no_tracking);
    CHECK(told_RangePop() == no_tracking);
    CHECK(told_RangePop() == no_tracking);
    const RangeId first = told_RangeStartA("a");
    const RangeId second = told_RangeStartW(L"a");
    CHECK(first != second);
    CHECK(is_own_range(first));
    CHECK_FALSE(is_own_range(7));
    CHECK(names.name_of(told_DomainCreateW(L"\u00fc")) == "ü");
    CHECK(names.name_of(told_DomainRegisterStringA(nullptr, "text")) == "text");
}
