"""Runs PostgreSQL on a free port on loopback. It ends with the process that started it."""

import ctypes
import glob
import os
import pwd
import shutil
import signal
import subprocess
import time

from s3servers import free_ports

PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)


def programs():
    """Returns the folder of the newest version's programs."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    if not found:
        raise RuntimeError("PostgreSQL is not installed; Scripts/bootstrap --tests installs it")
    return os.path.dirname(max(found, key=lambda path: int(path.split("/")[4])))


class Server:
    """A server with its data in its own folder."""

    def __init__(self, folder):
        self.folder, self.programs = folder, programs()
        os.makedirs(folder, exist_ok=True)
        (self.port,) = free_ports(1)
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(folder, "postgres", "postgres")
            # The user `postgres` must reach its folder through folders that it can't list.
            above = os.path.dirname(folder)
            os.chmod(above, os.stat(above).st_mode | 0o111)
        data = os.path.join(folder, "data")
        made = self.call("initdb", "-D", data, "-U", "petspot", "--auth=trust", "-E", "UTF8", "--no-sync")
        if made.returncode != 0:
            raise RuntimeError(f"initdb: {made.stderr.decode()[-500:]}")
        self.start()

    def start(self):
        data = os.path.join(self.folder, "data")
        with open(os.path.join(self.folder, "log"), "a") as log:
            self.process = subprocess.Popen(
                [f"{self.programs}/postgres", "-D", data, "-p", str(self.port), "-k", self.folder,
                 "-c", "listen_addresses=127.0.0.1", "-c", "max_connections=400", "-c", "fsync=off"],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/", preexec_fn=self.become,
            )  # fmt: skip
        end = time.monotonic() + 60
        while self.sql("SELECT 1", "postgres") is None:
            if time.monotonic() > end or self.process.poll() is not None:
                raise RuntimeError(f"PostgreSQL does not start, see {self.folder}/log")
            time.sleep(0.1)

    def restart(self):
        """Restarts the server as after a crash of the process (`pg_ctl restart -m immediate`). It recovers from its
        log."""
        self.stop()
        self.start()

    def become(self):
        """Switches to the user `postgres`, because the server refuses to run as root, and lets it end with this
        process."""
        if self.user:
            os.setgroups([])
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)

    def call(self, name, *arguments):
        return subprocess.run([f"{self.programs}/{name}", *arguments], capture_output=True, cwd="/", preexec_fn=self.become)

    def sql(self, text, database):
        """Returns the values of the last statement, one row per line, or None if it fails."""
        place = ("-h", "127.0.0.1", "-p", str(self.port), "-U", "petspot", "-d", database)
        done = self.call("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *place, "-c", text)
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def make(self, database):
        """Creates a database and returns its address for `--database`."""
        if self.sql(f"CREATE DATABASE {database}", "postgres") is None:
            raise RuntimeError(f"no database {database}")
        return f"postgresql://petspot@127.0.0.1:{self.port}/{database}"

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
