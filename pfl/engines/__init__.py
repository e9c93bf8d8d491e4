"""Engines: each answers a question about labelled systems, or says why it cannot.

An engine is a function `answer(question, settings, budget) -> Answer`. It reads
only the intermediate representation.
"""
