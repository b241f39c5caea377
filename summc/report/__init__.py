"""What a person looks at: why a summary is what it is, in the terminal and as a page."""
