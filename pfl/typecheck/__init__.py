"""The static semantics: resolves every name and gives every expression a type, or says what is wrong.

One traversal does both: a name is looked up in the scope it stands in when its expression is
typed. A declaration is checked when it is first needed, so the order in a file does not matter;
one that is needed while it is being checked depends on itself, which is an error.
"""
