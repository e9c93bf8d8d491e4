"""How far apart two states of an interactive system can look: unwinding families, exact ones where a prefix fixes the
state. Source: docs/theory/unwinding.md."""
