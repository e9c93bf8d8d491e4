"""The waist of the compiler: finite systems with exact numbers, and questions about them.

Lowering writes it, everything after reads it, it knows neither. Every product is immutable and
can be printed (`pflc emit ir`).
"""
