// SPDX-License-Identifier: Apache-2.0
#include "analyzer/steps/call_plumbing.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "analyzer/base/paths.h"
#include "analyzer/frames/frame_filter.h"
#include "analyzer/frames/interpreter_frames.h"
#include "analyzer/model/known_modules.h"

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

// Parts of the names of functions of CPython, its extension modules and NumPy that make many
// objects in one call. Their other functions make one of a kind.
constexpr auto makers_of_many = std::to_array<std::string_view>({
    // texts and bytes
    "split",
    "readlines",
    "findall",
    "pattern_sub",
    // containers from what is gone through
    "list_extend",
    "list___init__",
    "list_vectorcall",
    "PySequence_List",
    "PySequence_Tuple",
    "tuple_new",
    "set_update",
    "dict_merge",
    "dict_update",
    "_PyDict_FromKeys",
    "deque_extend",
    "builtin_sum",
    "reduce",
    // what is read from a text or a file
    "load",
    "scan_once",
    "_parse_",
    "parse_",
    "Reader_iternext",
    "s_unpack",
    "fetchall",
    // arrays
    "tolist",
    "nonzero",
});

bool is_known_library(std::string_view module) {
    return is_interpreter_module(module) || module.find("/lib-dynload/") != module.npos ||
           module.find("/numpy/") != module.npos;
}

bool starts_with_any(std::string_view name, const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [&](std::string_view begin) { return name.starts_with(begin); });
}

// Comprehensions go round, lambdas do if a comprehension is on their line. Of other functions that
// have no lines, only those that the standard library makes (of a data class) are known not to.
bool may_loop_in_python(const Frame& frame, SourceFiles& files) {
    const std::string_view name =
        std::string_view(frame.function).substr(frame.function.rfind('.') + 1);
    if (frame.file.starts_with('<') || frame.file.empty())
        return !(name.starts_with("__") && name.ends_with("__"));
    if (name != "<lambda>") return true;
    const ParsedSource& source = files.of(frame);
    const auto at = source.tree.at(frame.line);
    return !source.why_not.empty() || !at || source.tree[*at].has_loop;
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

bool may_take_in_a_loop(const Frame& frame, SourceFiles& files) {
    if (frame.kind == FrameKind::python) return may_loop_in_python(frame, files);
    if (frame.kind != FrameKind::native && frame.kind != FrameKind::inlined) return false;
    if (is_shim_module(frame.module) || is_call_plumbing(frame)) return false;
    if (!frame.file.empty() && frame.line != 0) {
        const ParsedSource& source = files.of(frame);
        const auto at = source.tree.at(frame.line);
        if (source.why_not.empty()) {
            if (!at || source.tree[*at].has_loop) return at.has_value();
            return !source.tree[*at].has_function && source.tree.loop_of(*at).has_value();
        }
    }
    if (is_known_library(frame.module)) {
        return std::any_of(
            makers_of_many.begin(), makers_of_many.end(),
            [&](std::string_view part) { return frame.function.find(part) != std::string::npos; });
    }
    return !is_plumbing_module(frame.module);
}

bool may_know_the_answer(const Frame& frame) {
    // Until Python 3.10, names have no classes.
    static constexpr auto getters = std::to_array<std::string_view>(
        {"/functools.py", "/werkzeug/utils.py", "/django/utils/functional.py"});
    const bool is_python = frame.kind == FrameKind::python;
    const std::string_view name = frame.function;
    if (name.starts_with("uncached_")) return false;  // lru_cache(maxsize=0)
    const auto has_word = [](std::string_view text) {
        return text.find("cache") != text.npos || text.find("Cache") != text.npos ||
               text.find("memoize") != text.npos;
    };
    if (!is_python) return frame.named && is_known_library(frame.module) && has_word(name);
    const std::string_view file = frame.file;
    const auto ends_file = [&](std::string_view end) { return file.ends_with(end); };
    return has_word(name) || has_word(base_name(file)) || file.find("/cachetools/") != file.npos ||
           file.ends_with("/joblib/memory.py") ||
           (name.ends_with("__get__") && std::any_of(getters.begin(), getters.end(), ends_file));
}

}  // namespace memtrace::analyzer
