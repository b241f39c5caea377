"""Show summaries and explain them, as text, JSON, Markdown and HTML."""
