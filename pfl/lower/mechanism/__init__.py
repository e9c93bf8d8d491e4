"""Mechanisms, their inputs, and which of these are adjacent."""
