// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/call_plumbing.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analyzer/frames/interpreter_frames.h"

namespace memtrace::analyzer {
namespace {

// Beginnings of the names of CPython's functions, of versions 3.8 to 3.14, that call one function.
constexpr auto interpreter_calls = std::to_array<std::string_view>({
    "_PyEval_",
    "PyEval_",
    "_PyFunction_Vectorcall",
    "_PyFunction_FastCall",
    "function_code_fastcall",
    "_PyObject_Call",
    "PyObject_Call",
    "_PyObject_Vectorcall",
    "PyObject_Vectorcall",
    "_PyObject_FastCall",
    "_PyObject_MakeTpCall",
    "PyVectorcall_Call",
    "_PyVectorcall_Call",
    "object_vacall",
    "method_vectorcall",
    "method_call",
    "cfunction_",
    "slot_",
    "call_function",
    "do_call_core",
    "type_call",
    "_PyMethodDef_RawFastCall",
    "_PyCFunction_",
    "gen_send_ex",
    "gen_iternext",
    "gen_send",
    "_PyGen_",
    "partial_call",
    "partial_vectorcall",
    "vectorcall_method",
    "vectorcall_unbound",
    "builtin___build_class__",
    "PyObject_Malloc",
    "_PyObject_Malloc",
    "_PyMem_RawMalloc",
    "PyMem_Malloc",
    "PyMem_RawMalloc",
});
// Allocators: whole names, or up to a parenthesis.
constexpr auto allocators = std::to_array<std::string_view>({
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "operator new",
    "operator new[]",
    "mmap",
    "mmap64",
    "strdup",
    "__strdup",
    "strndup",
});

bool starts_with_any(std::string_view name, const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](std::string_view begin) { return name.starts_with(begin); });
}

}  // namespace

bool is_call_plumbing(const Frame& frame) {
    if (frame.kind != FrameKind::native && frame.kind != FrameKind::inlined) return false;
    if (!frame.named) return false;
    const std::string_view name = frame.function;
    if (is_interpreter_module(frame.module)) return starts_with_any(name, interpreter_calls);
    const std::string_view plain = name.substr(0, name.find('('));
    if (std::find(allocators.begin(), allocators.end(), plain) != allocators.end()) return true;
    // What the standard library's allocators inline into their caller.
    return name.find("allocator<") != std::string_view::npos &&
           name.find("::allocate(") != std::string_view::npos;
}

}  // namespace memtrace::analyzer
