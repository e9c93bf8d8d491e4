"""The intermediate representation: finite systems with exact numbers, and questions about them.

The waist of the compiler: the frontend writes it, everything after reads it, it
knows neither. Every product is immutable and can be printed (`pflc emit ir`).
"""
