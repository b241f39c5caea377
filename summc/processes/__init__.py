"""Run work in several processes, and block signals at moments when one would do harm."""
