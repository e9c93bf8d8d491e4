"""Settings of all tests: Hypothesis measures no time, since machines that run tests are busy, and tries the same
examples on every run, so that what fails is the change. `--hypothesis-profile=explore` tries new ones.

A shell that starts the tests in the background, or `nohup`, has them ignore SIGINT or SIGHUP, and all that they start:
some are about those.

Libraries of linear algebra use one thread, as in `pflc`: tests run side by side, and threads of several wait for each
other.
"""

from __future__ import annotations

import os
import signal

from hypothesis import HealthCheck, settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

settings.register_profile("pfl", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("pfl")

for number, handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, handler)
