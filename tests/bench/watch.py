"""Run a command, and print its exit code, its error output, its time and its peak memory as JSON.

This is a separate program that uses little memory, because the system counts the memory of the parent process
at the start into the peak memory of the command.
"""

import json
import os
import subprocess
import sys
import time

start = time.perf_counter()
process = subprocess.Popen(
    sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
)
errors = process.stderr.read() if process.stderr else b""
_, status, usage = os.wait4(process.pid, 0)
seconds = time.perf_counter() - start
process.returncode = os.waitstatus_to_exitcode(status)
json.dump(
    {
        "seconds": seconds,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "megabytes": usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10),
        "code": process.returncode,
        "errors": errors.decode(errors="replace"),
    },
    sys.stdout,
)
