# SPDX-License-Identifier: Apache-2.0
"""What all stories share: who compares, how many comparisons are wanted, and the list of stories.

With the argument "truths" instead of a library the stories are told under the shim: what compares
is truth_check, afterwards.
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
