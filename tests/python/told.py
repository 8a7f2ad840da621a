# SPDX-License-Identifier: Apache-2.0
"""Shared by all stories: the comparison, the number of comparisons, and the list of stories.

With the argument "truths" instead of a library, the stories run under the shim, and truth_check
compares afterwards.
"""

import sys

if len(sys.argv) > 1 and sys.argv[1] == "truths":
    from truth import Truths
    walks = Truths()
else:
    from pywalk import Walks
    walks = Walks(sys.argv[1])
check = walks.check
WANTED = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
STORIES = []


def story(function):
    STORIES.append(function)
    return function


def both():
    check(walks.held)
    check(walks.released)
