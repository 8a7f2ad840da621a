"""LD_PRELOAD and the environment of children stay unchanged: other preloaded libraries do not
vanish."""
from harness import built, environment, expect, run, shim


def test():
    preload = [shim(), built("lib_early_preloaded.so")]
    shell = "sh -c 'echo $LD_PRELOAD'; env | grep -c ^LD_PRELOAD="
    ended = run(["bash", "-c", shell], environment(preload, options="quiet=1", output="/dev/null"))
    expect(ended.stdout, ":".join(preload) + "\n1\n", "LD_PRELOAD of a grandchild")
