"""The operating system and the package: safe input and output, processes, versions, shipped data."""
