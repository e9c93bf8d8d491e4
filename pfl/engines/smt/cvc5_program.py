"""A program that answers a file of SMT-LIB by the Python package of cvc5, where the cvc5 program is not installed.

It is run by its path, in a process of its own, so that it can be killed; it imports nothing of pfl.
"""

from __future__ import annotations

import sys

import cvc5


def main(path: str) -> None:
    """Print what cvc5 answers to each command of the file."""
    solver = cvc5.Solver(cvc5.TermManager())
    parser = cvc5.InputParser(solver)
    parser.setFileInput(cvc5.InputLanguage.SMT_LIB_2_6, path)
    symbols = parser.getSymbolManager()
    while not (command := parser.nextCommand()).isNull():
        print(command.invoke(solver, symbols), end="", flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
