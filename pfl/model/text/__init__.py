"""The text of models and questions."""
