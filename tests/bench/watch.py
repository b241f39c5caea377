"""Run a command, print its time and its peak memory as JSON, and exit with its code.

This is a separate program that uses little memory, because the system counts the memory of the parent process
at the start into the peak memory of the command.
"""

import json
import os
import subprocess
import sys
import time

start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
seconds = time.perf_counter() - start
process.returncode = os.waitstatus_to_exitcode(status)
megabytes = usage.ru_maxrss / (2**20 if sys.platform == "darwin" else 2**10)
print(json.dumps([seconds, usage.ru_utime + usage.ru_stime, megabytes]))
sys.exit(process.returncode)
