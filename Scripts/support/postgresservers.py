"""PostgreSQL, started on a free port of loopback and ended with whoever started it."""

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
    """The folder of the newest version's programs."""
    found = glob.glob("/usr/lib/postgresql/*/bin/initdb")
    if not found:
        raise RuntimeError("PostgreSQL is not installed; Scripts/bootstrap --tests installs it")
    return os.path.dirname(max(found, key=lambda path: int(path.split("/")[4])))


class Server:
    """A server whose data are in a folder of its own."""

    def __init__(self, folder):
        self.folder, self.programs = folder, programs()
        os.makedirs(folder, exist_ok=True)
        (self.port,) = free_ports(1)
        self.user = pwd.getpwnam("postgres") if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(folder, "postgres", "postgres")
            # It has to be reached by a user who may not look into the folders above.
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
        """Ends it as a crash of the process would (`pg_ctl restart -m immediate`); it recovers from its log."""
        self.stop()
        self.start()

    def become(self):
        """It refuses to run as root, and ends with us."""
        if self.user:
            os.setgroups([])
            os.setgid(self.user.pw_gid)
            os.setuid(self.user.pw_uid)
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGQUIT)

    def call(self, name, *arguments):
        return subprocess.run([f"{self.programs}/{name}", *arguments], capture_output=True, cwd="/", preexec_fn=self.become)

    def sql(self, text, database):
        """The values of the last statement, a row a line; None when it fails."""
        place = ("-h", "127.0.0.1", "-p", str(self.port), "-U", "petspot", "-d", database)
        done = self.call("psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *place, "-c", text)
        return done.stdout.decode().strip() if done.returncode == 0 else None

    def make(self, database):
        """A new database; gives what `--database` takes."""
        if self.sql(f"CREATE DATABASE {database}", "postgres") is None:
            raise RuntimeError(f"no database {database}")
        return f"postgresql://petspot@127.0.0.1:{self.port}/{database}"

    def stop(self):
        self.process.send_signal(signal.SIGQUIT)
        self.process.wait()
