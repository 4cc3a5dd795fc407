"""Properties are tried as in tests/property: the same way each run, or at random."""

import tests.property.conftest  # noqa: F401
