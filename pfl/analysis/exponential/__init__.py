"""Signs of exponential polynomials, sums of c x^i e^(k x), on intervals of x >= 0: decided exactly, with certificates.

`decide.decide` says whether one is non-negative, `negative_stretches.stretches` where it is not, and
`smallest_multiple.smallest_multiple` finds the least c with P <= e^(c x) Q. What they find is repeated by
`certificate.faults`, which shares no code with them but the polynomials. Why all of it is right:
docs/theory/exponential-signs.md.
"""
