"""The meaning of markers and sizes."""
import pytest
from pytest_memtrace import limits
from pytest_memtrace.limits import LEAKS, PEAK, Limit


@pytest.mark.parametrize("text, size", [("0", 0), ("500", 500), ("24 MB", 24 << 20),
                                        ("1.5GiB", 3 << 29), ("2k", 2048), ("1 B", 1)])
def test_sizes_are_binary(text, size):
    assert limits.parse_size(text, "here") == size


@pytest.mark.parametrize("text", ["", "MB", "1 XB", "-1", "1 MB 2"])
def test_what_is_no_size(text):
    with pytest.raises(pytest.UsageError, match="here: .* is not a size"):
        limits.parse_size(text, "here")


def test_the_nearest_marker_wins_and_defaults_fill_the_gaps():
    marks = [pytest.mark.limit_peak("1K").mark, pytest.mark.limit_peak("9K").mark,
             pytest.mark.limit_peak("2K", space="device:0").mark]
    defaults = [Limit(PEAK, None, 7), Limit(LEAKS, None, 8)]
    assert limits.limits_of(marks, defaults, "here") == [
        Limit(PEAK, None, 1024), Limit(PEAK, "device:0", 2048), Limit(LEAKS, None, 8)]


@pytest.mark.parametrize("mark", [pytest.mark.limit_peak, pytest.mark.limit_peak("1K", "host"),
                                  pytest.mark.limit_peak("1K", spaces="host"),
                                  pytest.mark.limit_peak("1K", space="device")])
def test_a_wrong_marker_is_a_wrong_usage(mark):
    with pytest.raises(pytest.UsageError, match="here: @pytest.mark.limit_peak"):
        limits.limit_of_marker(mark.mark, "here")


def test_sizes_for_people():
    assert [limits.human(size) for size in (0, 1023, 1536, 5 << 40, 3 << 60)] == [
        "0 B", "1023 B", "1.5 KiB", "5.0 TiB", "3145728.0 TiB"]
