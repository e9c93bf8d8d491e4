"""Claims and their systems as files for other tools: SMT-LIB, DRN and PRISM, and drawings.

Comes in: a `Claim`, lowered, with its questions. Goes out: pairs of a file's name and its text, several where a claim
ranges over cases or asks several queries. Raises InputRejected where a claim cannot be said in the format.

Each module is for one kind of tool and stands alone; read any of them first:

* `smtlib`: the queries of the engine `smt`, with comments that say what each answer means;
* `chain`: Markov chains for Storm (DRN) and PRISM, costs of steps put on states;
* `dot`: drawings of systems and chains for Graphviz.

`product_names` makes names of files and identifiers.

What always holds: numbers are exact, as fractions; only an irrational e^epsilon is a rational near it, on the side that
the comments of the file name. A name becomes an identifier of its own, never that of another.
"""
