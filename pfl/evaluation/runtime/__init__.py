"""What generated code calls: operations that can fail, that parameters take part in, or that have limits."""
