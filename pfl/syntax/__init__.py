"""From `.pfl` text to trees, or to a diagnosis of what is not PFL."""
