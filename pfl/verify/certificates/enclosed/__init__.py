"""Proofs about enclosed probabilities, confirmed by sums of steps in integer arithmetic. Source:
docs/theory/gaussian.md."""
