"""The line at the end of a program costs it nothing, whatever stderr is: a pipe or socket that
nobody reads any more or that is full, a file at the limit on its size, a terminal that belongs to
another job."""
import fcntl
import os
import pty
import resource
import signal
import socket
import termios

from harness import PYTHON, expect, folder, require, shim

SECONDS = 20  # A program that waits for ever is stopped then.
WORK = [PYTHON, "-c", "import os; os._exit(7)"]


def end_of(stderr, command=WORK, prepare=lambda: None):
    """Runs a traced program with this descriptor as its stderr. Returns how it ended."""
    pid = os.fork()
    if pid == 0:
        try:
            os.dup2(stderr, 2)
            os.set_inheritable(2, True)
            for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGTTOU):
                signal.signal(number, signal.SIG_DFL)
            signal.alarm(SECONDS)
            prepare()
            os.execve(command[0], command, {
                "PATH": os.environ["PATH"], "LD_PRELOAD": shim(),
                "MEMTRACE_OUTPUT": os.path.join(folder(), "dump.%p.bin")})
        finally:
            os._exit(99)
    status = os.waitpid(pid, os.WUNTRACED)[1]
    if os.WIFSTOPPED(status):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return f"stopped by {signal.Signals(os.WSTOPSIG(status)).name}"
    if os.WIFSIGNALED(status):
        return f"killed by {signal.Signals(os.WTERMSIG(status)).name}"
    return os.WEXITSTATUS(status)


def fill(descriptor):
    """Writes until the reader's side is full."""
    os.set_blocking(descriptor, False)
    try:
        while True:
            os.write(descriptor, bytes(4096))
    except BlockingIOError:
        os.set_blocking(descriptor, True)


def check_pipes():
    for name, pair in (("pipe", os.pipe),
                       ("socket", lambda: [end.detach() for end in socket.socketpair()])):
        reader, writer = pair()
        fill(writer)
        expect(end_of(writer), 7, f"a full {name}")
        os.close(reader)
        expect(end_of(writer), 7, f"a {name} without a reader")
        os.close(writer)


def check_pending():
    """A signal of the program's own that waits, stays."""
    reader, writer = os.pipe()
    os.close(reader)
    program = os.path.join(folder(), "pending.py")
    with open(program, "w", encoding="utf-8") as out:
        out.write("import atexit, os, signal\n"
                  "signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGPIPE])\n"
                  "os.kill(os.getpid(), signal.SIGPIPE)\n"
                  "assert signal.sigpending() == {signal.SIGPIPE}\n"
                  "os._exit(7)\n")
    expect(end_of(writer, [PYTHON, program]), 7, "with a pending signal")
    os.close(writer)


def check_file():
    path = os.path.join(folder(), "log")
    log = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    size = 1 << 20
    os.ftruncate(log, size)

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    expect(end_of(log, prepare=limit), 7, "a file at its limit")
    expect(os.fstat(log).st_size, size, "size of the file")
    os.close(log)


def check_terminal():
    """A job in the background of a terminal with `stty tostop`."""
    master, terminal = pty.openpty()
    modes = termios.tcgetattr(terminal)
    modes[3] |= termios.TOSTOP
    termios.tcsetattr(terminal, termios.TCSANOW, modes)
    name = os.ttyname(terminal)
    session = os.fork()
    if session == 0:
        try:
            os.setsid()
            fcntl.ioctl(os.open(name, os.O_RDWR), termios.TIOCSCTTY, 0)
            ended = end_of(terminal, prepare=lambda: os.setpgid(0, 0))
            os._exit(ended if isinstance(ended, int) else 98)
        finally:
            os._exit(97)
    expect(os.WEXITSTATUS(os.waitpid(session, 0)[1]), 7, "a job in the background")
    os.set_blocking(master, False)
    require(b"memtrace: " in os.read(master, 65536), "the terminal shows the line")
    os.close(terminal)
    os.close(master)


def test():
    check_pipes()
    check_pending()
    check_file()
    check_terminal()
