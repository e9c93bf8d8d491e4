"""`python -m pfl` is `pflc`."""

from pfl.cli.main import main

if __name__ == "__main__":
    main()
