// SPDX-License-Identifier: Apache-2.0
//
// libdw cannot go from an entry to its parent, so scopes are found from the top. The entries of a
// tree are stored in order. One walk that descends only towards wanted offsets finds all of them.
#include "analyzer/symbolise/dwarf_names.h"

#include <dwarf.h>

#include <algorithm>
#include <string_view>

#include "analyzer/symbolise/demangle.h"

namespace memtrace::analyzer {

namespace {

// Returns the linker's name, or null if the debug information does not contain it.
const char* linkage_name(Dwarf_Die* die) {
    for (const unsigned kind : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name}) {
        Dwarf_Attribute attribute;
        if (dwarf_attr_integrate(die, kind, &attribute) == nullptr) continue;
        if (const char* name = dwarf_formstring(&attribute); name != nullptr) return name;
    }
    return nullptr;
}

// Goes from an inlined subroutine to its function, and from there to the first declaration.
Dwarf_Die declaration_of(Dwarf_Die die) {
    for (int step = 0; step < 8; ++step) {
        Dwarf_Attribute attribute;
        Dwarf_Die next;
        const bool found = dwarf_attr(&die, DW_AT_abstract_origin, &attribute) != nullptr ||
                           dwarf_attr(&die, DW_AT_specification, &attribute) != nullptr;
        if (!found || dwarf_formref_die(&attribute, &next) == nullptr) break;
        die = next;
    }
    return die;
}

bool has_namespaces(Dwarf_Die* unit) {
    switch (dwarf_srclang(unit)) {
        case DW_LANG_C:
        case DW_LANG_C89:
        case DW_LANG_C99:
        case DW_LANG_C11:
        case DW_LANG_Mips_Assembler: return false;
        default: return true;
    }
}

constexpr std::string_view unnamed = "{unnamed}";

std::string joined(std::string scope, const std::string& name) {
    if (scope.empty() || name.empty()) return scope + name;
    // Compilers give the class of a lambda no name, or a descriptive one.
    if (name == "operator()" && scope.ends_with(unnamed)) {
        scope.replace(scope.size() - unnamed.size(), unnamed.size(), "{lambda}");
    }
    return scope + "::" + name;
}

// Returns the prefix of the full names inside an entry, up to the last "::".
std::string scope_of(Dwarf_Die* die, const std::string& outer) {
    const char* name = dwarf_diename(die);
    switch (dwarf_tag(die)) {
        case DW_TAG_namespace:
            return joined(outer, name != nullptr ? name : "(anonymous namespace)");
        case DW_TAG_class_type:
        case DW_TAG_structure_type:
        case DW_TAG_union_type: {
            const bool plain = name != nullptr && !std::string_view(name).starts_with("<lambda");
            return joined(outer, plain ? name : std::string(unnamed));
        }
        case DW_TAG_subprogram:
            if (const char* mangled = linkage_name(die); mangled != nullptr)
                return demangle(mangled);
            return joined(outer, name != nullptr ? name : "");
        default: return outer;
    }
}

}  // namespace

void DwarfNames::want(Dwarf_Die* function) {
    if (linkage_name(function) != nullptr) return;
    Dwarf_Die declaration = declaration_of(*function);
    const Dwarf_Off offset = dwarf_dieoffset(&declaration);
    Target target{offset, {}};
    if (dwarf_diecu(&declaration, &target.unit, nullptr, nullptr) == nullptr) return;
    if (!has_namespaces(&target.unit) || names_.contains(offset)) return;
    names_[offset];  // The search runs once, whatever its result.
    wanted_.push_back(target);
}

void DwarfNames::resolve() {
    std::sort(wanted_.begin(), wanted_.end(),
              [](const Target& a, const Target& b) { return a.offset < b.offset; });
    for (size_t i = 0; i < wanted_.size();) {
        std::vector<Dwarf_Off> targets;
        Dwarf_Die& unit = wanted_[i].unit;
        for (; i < wanted_.size() && wanted_[i].unit.addr == unit.addr; ++i) {
            targets.push_back(wanted_[i].offset);
        }
        walk(unit, "", targets);
    }
    wanted_.clear();
}

// Walks the children of `parent`. A target is in the subtree of an entry if its offset lies before
// the next sibling.
void DwarfNames::walk(Dwarf_Die parent, const std::string& scope,
                      const std::vector<Dwarf_Off>& targets) {
    Dwarf_Die die;
    auto target = targets.begin();
    if (targets.empty() || dwarf_child(&parent, &die) != 0) return;
    for (bool more = true; more && target != targets.end();) {
        Dwarf_Die next;
        more = dwarf_siblingof(&die, &next) == 0;
        const auto end =
            more ? std::lower_bound(target, targets.end(), dwarf_dieoffset(&next)) : targets.end();
        if (target != end) {
            const std::string inner = scope_of(&die, scope);
            if (*target == dwarf_dieoffset(&die)) names_[*target++] = inner;
            walk(die, inner, {target, end});
        }
        target = end;
        die = next;
    }
}

FunctionName DwarfNames::name_of(Dwarf_Die* function) const {
    if (const char* name = linkage_name(function); name != nullptr) return {name, true};
    Dwarf_Die declaration = declaration_of(*function);
    const auto found = names_.find(dwarf_dieoffset(&declaration));
    if (found != names_.end() && !found->second.empty()) return {found->second, false};
    const char* name = dwarf_diename(function);
    return {name != nullptr ? name : "", false};
}

}  // namespace memtrace::analyzer
