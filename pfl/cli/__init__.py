"""The command `pflc`: one file a subcommand. Only here is click known, and only here is anything written out."""
