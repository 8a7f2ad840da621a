# SPDX-License-Identifier: Apache-2.0
"""Stories that a Python stack walker has to get right: stories.py LIBRARY [WALKS] [STORY...]

Each story is a function that makes stacks and compares them with the truth. WALKS is the number of
comparisons in the large stories. Prints one line for each story. Exit code 1 if a story failed.
"""

import sys
import time

import stories_calls
import stories_many
import stories_processes
from pywalk import STATES, Difference
from told import STORIES, walks

assert stories_many and stories_processes


def main():
    library = walks.library
    if STATES[library.pywalk_start(0)] != "validating":
        print("stories.py: Python is off: " + library.pywalk_why().decode())
        return 1
    for _ in range(3):
        stories_calls.calls()
    if STATES[library.pywalk_state()] != "on":
        print("stories.py: not on: " + library.pywalk_why().decode())
        return 1
    wanted = sys.argv[3:]
    failed = False
    for function in STORIES:
        if wanted and function.__name__ not in wanted:
            continue
        before, begin = walks.compared, time.time()
        try:
            result = function()
            walks.expect_no_problems()
        except Difference as error:
            result, failed = "FAILED: %s" % error, True
        print("%-22s%10d walks %6.1f s  %s" % (function.__name__, walks.compared - before,
                                               time.time() - begin, result or ""), flush=True)
    seen = max(1, library.pywalk_seen_frames())
    print("%s %s, freed code %s: %d walks compared, %d walked, %d %% of frames kept" % (
        library.pywalk_version().decode(), STATES[library.pywalk_state()],
        "watched" if library.pywalk_is_watched() else "not watched", walks.compared,
        library.pywalk_walks(), 100 * library.pywalk_kept_frames() // seen))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
