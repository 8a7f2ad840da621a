"""The shell and its subshells: the report's totals equal the oracle's, process by process."""
from real import agrees_with_oracle


def test():
    script = ("for i in {1..2000}; do a[i]=$((i * i)); done; echo ${#a[@]};"
              "(echo sub; ls / | wc -l >/dev/null); echo $(echo deep)")
    agrees_with_oracle("bash", "-c", script)
