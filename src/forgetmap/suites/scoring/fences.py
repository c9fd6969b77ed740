"""The inside of the sandbox: a script of its own, run by `sandbox` in a fresh interpreter, with the standard library alone.

It reads a job from its standard input, gives up every right it can, runs the code and its tests, and reports on a pipe.
Layers, each of which may be missing on a machine (the report names those in place):

- `limits`: CPU time, memory, size of files (0: nothing is written), open files, processes;
- `namespace`: no network interface;
- `capabilities`: those of root are given up;
- `landlock`: only the interpreter's own files can be read;
- `seccomp`: no sockets, no processes or threads, no opening for writing, no signals to others;
- `hooks`: the interpreter itself refuses the same. Not a wall, since clever code gets around it: the last resort where
  the kernel offers nothing (macOS).

A pass is told by a secret. It comes with the job on the standard input, which is then closed, and stands in no argument, no
global and no open file: code that ends the process early, or writes to whatever is open, cannot have told it. It is no wall:
the tests and the code share one interpreter, so a program that walks up the frames of its callers, searches the memory, or
makes the tests themselves say yes (an object equal to everything) can still pass without being right.
"""

import ctypes
import json
import os
import platform
import struct
import sys
import types
from typing import Any

Job = dict[str, Any]

_CLONE_NEWUSER, _CLONE_NEWNET, _CLONE_NEWIPC = 0x10000000, 0x40000000, 0x08000000
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _PR_SET_DUMPABLE = 38, 22, 4
_OPENS_FOR_WRITING = 0o3 | 0o100 | 0o1000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC

#: Machine -> (audit code, capset, calls that open files with the place of their flags, calls refused).
_CALLS = {
    "x86_64": (
        0xC000003E,
        126,
        {2: 1, 257: 2},
        (
            41, 42, 49, 53,  # socket, connect, bind, socketpair
            56, 57, 58, 59, 322, 435,  # clone, fork, vfork, execve, execveat, clone3
            62, 129, 200, 234, 297, 424, 434, 438,  # kill and its kin, pidfd_*
            76, 77, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 133, 285,  # truncate … chown, mknod, fallocate
            258, 259, 260, 263, 264, 265, 266, 268, 316, 437, 452,  # the same at a directory, openat2
            132, 188, 189, 190, 235, 261, 280,  # times, extended attributes
            29, 64, 68, 240, 319,  # shared memory, semaphores, queues, memfd
            101, 298, 310, 311, 321, 323, 425, 426, 427,  # ptrace, perf, other processes' memory, bpf, io_uring
            141, 142, 144, 203, 302,  # priorities, limits of others
            155, 161, 165, 166, 167, 169, 170, 175, 246, 248, 249, 250, 272, 308, 313, 429, 430, 442,  # mounts, modules, keys
        ),
    ),
    "aarch64": (
        0xC00000B7,
        91,
        {56: 2},
        (
            198, 199, 200, 203,
            220, 221, 281, 435,
            129, 130, 131, 138, 240, 424, 434, 438,
            33, 34, 35, 36, 37, 38, 45, 46, 47, 52, 53, 54, 55, 276, 437, 452,
            5, 6, 7, 88,
            180, 186, 190, 194, 279,
            117, 241, 270, 271, 280, 282, 425, 426, 427,
            118, 119, 122, 140, 261,
            39, 40, 41, 51, 97, 104, 105, 142, 161, 217, 218, 219, 224, 268, 273, 429, 430, 442,
        ),
    ),
}  # fmt: skip

#: What the interpreter announces before it does one of the things refused.
_REFUSED_EVENTS = (
    "socket.", "subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "os.kill", "os.remove",
    "os.rename", "os.rmdir", "os.mkdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate", "os.utime", "os.putenv",
    "shutil.", "ctypes.", "ftplib.", "http.", "smtplib.", "urllib.", "webbrowser.", "pty.", "fcntl.", "signal.pthread_kill",
)  # fmt: skip


def _limit(job: Job) -> bool:
    import resource

    wanted = {
        "RLIMIT_CPU": job["seconds"] + 1,
        "RLIMIT_AS": job["memory"],
        "RLIMIT_DATA": job["memory"],
        "RLIMIT_FSIZE": 0,
        "RLIMIT_NOFILE": 32,
        "RLIMIT_CORE": 0,
        "RLIMIT_NPROC": 0,
    }
    for name, value in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        try:
            hard = resource.getrlimit(kind)[1]
            value = value if hard == resource.RLIM_INFINITY else min(value, hard)
            resource.setrlimit(kind, (value, value))
        except (OSError, ValueError):
            if name == "RLIMIT_CPU":  # without a clock nothing is run; macOS lacks the limit of memory
                raise
    return True


def _leave_network(libc: Any) -> bool:
    flags = _CLONE_NEWNET | _CLONE_NEWIPC
    return bool(libc.unshare(flags) == 0 or libc.unshare(flags | _CLONE_NEWUSER) == 0)


def _drop_capabilities(libc: Any, machine: str) -> bool:
    header, nothing = struct.pack("=Ii", 0x20080522, 0), bytes(24)
    return bool(libc.syscall(_CALLS[machine][1], header, nothing) == 0)


def _landlock(libc: Any, readable: list[str], listed: tuple[str, ...] | list[str] = ()) -> bool:
    version = libc.syscall(444, None, 0, 1)
    if version < 1:
        return False
    rights = (1 << 13) - 1
    for since, bit in ((2, 13), (3, 14), (5, 15)):
        rights |= (1 << bit) if version >= since else 0
    attributes = struct.pack("=Q", rights)
    if version >= 4:
        attributes += struct.pack("=Q", 3)  # bind and connect
    if version >= 6:
        attributes += struct.pack("=Q", 3)  # abstract sockets and signals to others
    rules = libc.syscall(444, attributes, len(attributes), 0)
    if rules < 0:
        return False
    names_only = 1 << 3  # the interpreter looks its modules up in a listing of their folder
    for path in [*readable, *listed]:
        try:
            file = os.open(path, os.O_PATH)
        except OSError:
            continue
        allowed = names_only if path in listed else (1 << 2) | names_only if os.path.isdir(path) else 1 << 2
        libc.syscall(445, rules, 1, struct.pack("=Qi", allowed, file), 0)
        os.close(file)
    done = bool(libc.syscall(446, rules, 0) == 0)
    os.close(rules)
    return done


def _seccomp(libc: Any, machine: str) -> bool:
    audit, _, opening, refused = _CALLS[machine]
    load, equal, above, any_bit, give = 0x20, 0x15, 0x25, 0x45, 0x06
    allow, refuse = 0x7FFF0000, 0x00050000 | 1  # EPERM
    program = [(load, 0, 0, 4), (equal, 1, 0, audit), (give, 0, 0, refuse), (load, 0, 0, 0)]
    program += [(above, 0, 1, 0x3FFFFFFF), (give, 0, 0, refuse)]  # the 32-bit numbering of x86
    for number in refused:
        program += [(equal, 0, 1, number), (give, 0, 0, refuse)]
    for number, place in opening.items():
        program += [(equal, 0, 4, number), (load, 0, 0, 16 + 8 * place)]
        program += [(any_bit, 0, 1, _OPENS_FOR_WRITING), (give, 0, 0, refuse), (give, 0, 0, allow)]
    program.append((give, 0, 0, allow))
    packed = ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *line) for line in program))
    filters = struct.pack("@HP", len(program), ctypes.addressof(packed))
    return bool(libc.prctl(_PR_SET_SECCOMP, 2, filters, 0, 0) == 0)


def _hook() -> bool:
    refused, writing = _REFUSED_EVENTS, _OPENS_FOR_WRITING
    installed = ("site-packages", "dist-packages")

    def refuse(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            mode, flags = arguments[1], arguments[2]
            by_mode = isinstance(mode, str) and any(sign in mode for sign in "wax+")
            if by_mode or (isinstance(flags, int) and flags & writing):
                raise PermissionError("the sandbox writes no files")
            if isinstance(arguments[0], str) and any(folder in arguments[0] for folder in installed):
                raise PermissionError("the sandbox has the standard library alone")
        elif event.startswith(refused):
            raise PermissionError(f"the sandbox allows no {event}")

    sys.addaudithook(refuse)
    return True


def _raise_fences(job: Job) -> list[str]:
    """Give up rights, strongest last; the names of what is in place."""
    built = {"limits": _limit(job)}
    machine = platform.machine()
    if sys.platform == "linux" and machine in _CALLS:
        libc = ctypes.CDLL(None, use_errno=True)
        libc.syscall.restype = ctypes.c_long
        built["namespace"] = _leave_network(libc)
        built["capabilities"] = _drop_capabilities(libc, machine)
        libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
        libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
        built["landlock"] = _landlock(libc, job["readable"], job["listed"])
        built["seccomp"] = _seccomp(libc, machine)
    built["hooks"] = _hook()
    return [name for name, standing in built.items() if standing]


def _first_that_compiles(candidates: list[str]) -> types.CodeType | None:
    for source in candidates:
        try:
            return compile(source, "<reply>", "exec", dont_inherit=True)
        except (SyntaxError, ValueError, MemoryError, RecursionError, OverflowError):
            continue
    return None


def _run(job: Job) -> dict[str, str]:
    code, tests = _first_that_compiles(job["candidates"]), _first_that_compiles([job["tests"]])
    if tests is None:
        return {"outcome": "bad_tests"}
    if code is None:
        return {"outcome": "no_code"}
    solution = types.ModuleType("solution")
    sys.modules["solution"] = solution
    run, stage = exec, "reply"  # held here: the code may put another in its place
    try:
        run(code, solution.__dict__)
        stage = "tests"
        run(tests, solution.__dict__)
        if job["entry_point"]:
            solution.__dict__["check"](solution.__dict__[job["entry_point"]])
    except BaseException as fault:  # SystemExit and KeyboardInterrupt too: whatever ends the code early is no pass
        # the name alone: a message could carry out what the code has read
        known = type(fault).__name__ if type(fault).__module__ == "builtins" else "Exception"
        return {"outcome": "fail", "why": f"{known} in {stage}"}
    return {"outcome": "pass"}


def main() -> None:
    """Read the job, raise the fences, run, report."""
    job = json.loads(sys.stdin.buffer.read())
    secret, report = job.pop("secret"), job.pop("report")
    tell, write, leave = json.dumps, os.write, os._exit  # held here: the code may put others in their places
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    sys.setrecursionlimit(5_000)
    standing = _raise_fences(job)
    write(report, (tell({"fences": standing}) + "\n").encode())
    found = _run(job)
    if found["outcome"] == "pass":
        found["secret"] = secret
    write(report, (tell(found) + "\n").encode())
    leave(0)  # nothing the code has left behind (exit handlers) is of interest


if __name__ == "__main__":
    main()
