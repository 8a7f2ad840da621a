# SPDX-License-Identifier: Apache-2.0
"""What all stories share: the walks, how many are wanted, and the list of stories."""

import sys

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
