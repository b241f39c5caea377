"""Texts and numbers: languages, stems, lengths, tables, and the structure of a document."""
