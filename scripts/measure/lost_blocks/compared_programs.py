# SPDX-License-Identifier: Apache-2.0
"""The real programs whose lost blocks are compared, and how a server among them is run, asked and
ended."""
import functools
import os
import pathlib
import shlex
import shutil
import subprocess
import time

ROOT = str(pathlib.Path(__file__).resolve().parent.parent.parent.parent)

PROGRAMS = [
    ["perl", "-e", "print 1"], ["sort", "/etc/passwd"], ["ls", "/"],
    ["tar", "cf", "/dev/null", "/etc/apt"], ["awk", "BEGIN{print 1}"],
    ["sed", "-n", "1p", "/etc/passwd"], ["grep", "-r", "root", "/etc/passwd"],
    ["find", "/etc", "-name", "x*"], ["git", "-C", ROOT, "log", "-1"], ["curl", "--version"],
    ["sqlite3", ":memory:", "create table a(b); insert into a values(1); select * from a"],
    ["gcc", "--version"], ["ld", "--version"], ["nm", "/bin/ls"], ["objdump", "-h", "/bin/ls"],
    ["readelf", "-h", "/bin/ls"], ["diff", "/etc/passwd", "/etc/group"], ["gzip", "--version"],
    ["xz", "--version"], ["make", "--version"], ["dpkg", "-l"], ["apt-cache", "policy"],
    ["gawk", "--version"], ["m4", "--version"], ["openssl", "version"], ["bash", "-c", "echo a"],
    ["python3", "-c", "pass"], ["ninja", "--version"], ["cmake", "--version"],
    ["wc", "/etc/passwd"], ["uniq", "/etc/passwd"], ["date"], ["id"], ["env"],
    ["od", "/etc/passwd"], ["dd", "--version"],
]

# A server, what asks whether it is there, and what it is asked. FOLDER is a folder for its files.
SERVERS = [
    (["redis-server", "--port", "0", "--unixsocket", "FOLDER/redis", "--save", ""],
     ["redis-cli", "-s", "FOLDER/redis", "ping"],
     [["redis-cli", "-s", "FOLDER/redis", "-r", "300", *shlex.split(words)] for words in (
         "set key value", "lpush list element", "lpop list", "sadd set member",
         "hset hash field value", "zadd sorted 1 member", "eval 'return 1' 0")]),
    (["nginx", "-p", "FOLDER", "-c", "FOLDER/nginx.conf", "-e", "stderr"],
     ["curl", "-sf", "--unix-socket", "FOLDER/nginx", "http://x/"],
     [["curl", "-sf", "--unix-socket", "FOLDER/nginx", "http://x/" + path]
      for path in ("", "here", "large")]),
]
NGINX = """daemon off; master_process off; pid FOLDER/pid;
events {}
http {
    access_log off; client_body_temp_path FOLDER/b; proxy_temp_path FOLDER/p;
    fastcgi_temp_path FOLDER/f; uwsgi_temp_path FOLDER/u; scgi_temp_path FOLDER/s;
    server { listen unix:FOLDER/nginx; location / { return 200 "hello\n"; } }
}
"""


def ask(command):
    """Returns True if the client got an answer."""
    try:
        return subprocess.run(command, capture_output=True, timeout=60,
                              stdin=subprocess.DEVNULL).returncode == 0
    except (subprocess.TimeoutExpired, FileNotFoundError):
        return False


def serve(command, is_there, questions, timeout=120, **more):
    """Runs a server, asks it something, and ends it as its administrator does."""
    for name in ("redis", "nginx"):  # A socket that another run has left would stop nginx.
        path = next((word for word in is_there if word.endswith("/" + name)), None)
        if path and os.path.exists(path):
            os.unlink(path)
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, **more)
    deadline = time.monotonic() + timeout
    while server.poll() is None and time.monotonic() < deadline:
        if ask(is_there):
            for question in questions:
                ask(question)
            break
        time.sleep(0.2)
    server.terminate()
    server.wait(timeout)


def placed(server, folder):
    """Returns its command and what runs such a command, or None if it is not installed."""
    command, is_there, questions = server
    path = shutil.which(command[0], path=os.environ["PATH"] + ":/usr/sbin")
    if path is None:
        return None

    def at(words):
        return [word.replace("FOLDER", folder) for word in words]

    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(NGINX.replace("FOLDER", folder))
    start = functools.partial(serve, is_there=at(is_there),
                              questions=[at(words) for words in questions])
    return [path, *at(command[1:])], start
