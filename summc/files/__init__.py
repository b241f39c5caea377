"""Read and write files safely: limits on input, output that is never half written, locks, JSON, packages."""
