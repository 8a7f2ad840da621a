"""kill -9 at 200 random instants of a program with four threads: no event is lost."""
# slow
from kill import kill_many


def test():
    kill_many(200, threads=4)
