// SPDX-License-Identifier: Apache-2.0
//
// The only include of Catch2 in the project, so that a move to version 3 is one edit.
#pragma once

#include <catch2/catch.hpp>
