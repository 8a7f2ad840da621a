"""Perl: the report's totals equal the oracle's, process by process."""
from real import agrees_with_oracle


def test():
    script = "my %h; $h{$_ % 997} .= qq(x$_) for 1..50000; print scalar(keys %h)"
    agrees_with_oracle("perl", "-e", script)
