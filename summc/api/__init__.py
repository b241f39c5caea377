"""The Python API: what ``import summc`` offers. ``summc/__init__.py`` says which names are public."""
