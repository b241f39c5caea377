"""Helpers for texts and numbers: languages, stems, lengths, dates, tables, the structure of a document."""
