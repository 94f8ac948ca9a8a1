"""Filters system calls with libseccomp, for this process and all its children."""

import ctypes
import errno

ALLOW, EPERM = 0x7FFF0000, 0x00050000 | errno.EPERM
MASKED_EQUAL = 7


class Argument(ctypes.Structure):
    """One comparison with an argument: `struct scmp_arg_cmp`."""

    _fields_ = [("number", ctypes.c_uint), ("operation", ctypes.c_int), ("one", ctypes.c_uint64),
                ("two", ctypes.c_uint64)]  # fmt: skip


class Filter:
    """A filter that applies `otherwise` to every call without a rule."""

    def __init__(self, otherwise=ALLOW):
        self.library = ctypes.CDLL("libseccomp.so.2", use_errno=True)
        self.library.seccomp_init.restype = ctypes.c_void_p
        self.context = ctypes.c_void_p(self.library.seccomp_init(ctypes.c_uint32(otherwise)))

    def rule(self, action, call, *arguments):
        """Adds a rule. Returns whether this machine has the call."""
        number = self.library.seccomp_syscall_resolve_name(call.encode())
        if number == -1:
            return False
        array = (Argument * len(arguments))(*[Argument(*argument) for argument in arguments])
        done = self.library.seccomp_rule_add_array(
            self.context, ctypes.c_uint32(action), number, len(arguments), array)
        return done == 0

    def refuse(self, call, code):
        """Makes a call fail with an errno."""
        self.rule(0x00050000 | code, call)

    def load(self):
        """Activates the filter. From then on the process can't gain privileges."""
        ctypes.CDLL(None).prctl(38, 1, 0, 0, 0)  # PR_SET_NO_NEW_PRIVS
        if self.library.seccomp_load(self.context) != 0:
            raise OSError("the filter was not loaded")
