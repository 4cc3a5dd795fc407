"""Python imports this first in processes that tests start with `tests.layouts.APART`."""

import tests.layouts  # noqa: F401 - it keeps pages
