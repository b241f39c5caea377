"""What summc asks of the system: files read and written safely, processes, packages, shipped data."""
