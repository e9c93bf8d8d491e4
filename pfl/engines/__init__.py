"""Engines: each answers questions about models, or says why it cannot.

An engine is a module with `answer(question, options, budget)`; `registry` is the table of all. It reads `pfl.model` and
`pfl.analysis`, and knows neither syntax nor what is concluded from its answer.
"""
