"""Programs that look for what breaks summc: run for minutes in development, for a moment by the tests."""
