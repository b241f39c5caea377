"""Stage 2: find the terms of each sentence, the concepts they form, and the sentences that may be chosen.

A term is a word in lower case, reduced to its stem. A concept is what a summary should cover: a term, or a
bigram of two neighbouring terms. A candidate is a sentence that may be chosen.
"""
