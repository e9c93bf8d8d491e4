"""What every claim, system and text of a model must satisfy before an engine sees it."""
