"""What names mean: the declarations that a module sees, scopes within a declaration, and suggestions."""
