"""From `.pfl` text to the intermediate representation: parse, resolve, typecheck, elaborate, lower."""
