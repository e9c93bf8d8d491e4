"""What is said of text that is not PFL, and of what was meant instead."""
