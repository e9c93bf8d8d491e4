"""Models and questions for other tools: SMT-LIB, Prism, pictures."""
