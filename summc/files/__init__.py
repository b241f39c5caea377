"""Reading and writing files: bounded input, whole output, locks and JSON."""
