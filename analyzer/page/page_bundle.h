// SPDX-License-Identifier: Apache-2.0
//
// The page's program and its styles, bundled from web/ when memtrace-report is built
// (web/bundle.cmake). Both are empty in a build that had neither Node nor a bundle.
#pragma once

#include <string_view>

namespace memtrace::analyzer {

struct PageBundle {
    std::string_view script;
    std::string_view style;
};

PageBundle page_bundle();

}  // namespace memtrace::analyzer
