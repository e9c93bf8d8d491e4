"""The one table of diagnostic codes.

Families: PFL00xx files, 01xx syntax, 02xx names, 03xx types, 04xx systems,
05xx claims, 06xx engines, 07xx limits, 09xx our own faults. A number is never
reused. Every code has a page `docs/errors/PFLnnnn.md` whose wrong block raises
it and whose right block does not.
"""

from __future__ import annotations

from typing import Literal

from pfl.base.struct import struct

Severity = Literal["error", "warning"]


@struct(kw_only=False)
class Code:
    """A diagnostic code: `PFL` and four digits, a stable slug, a severity, one line of meaning."""

    number: int
    slug: str
    severity: Severity
    summary: str

    def __str__(self) -> str:
        return f"PFL{self.number:04d}"


_TABLE: dict[int, Code] = {}


def _error(number: int, slug: str, summary: str) -> Code:
    return _register(Code(number, slug, "error", summary))


def _warning(number: int, slug: str, summary: str) -> Code:
    return _register(Code(number, slug, "warning", summary))


def _register(code: Code) -> Code:
    if code.number in _TABLE:
        raise ValueError(f"{code} is declared twice")
    _TABLE[code.number] = code
    return code


def all_codes() -> tuple[Code, ...]:
    """Every code, by number."""
    return tuple(_TABLE[number] for number in sorted(_TABLE))


def find_code(text: str) -> Code | None:
    """The code that a user means by `PFL0401`, `pfl0401`, `0401`, `401` or its slug; None if there is none."""
    wanted = text.strip().lower()
    for code in _TABLE.values():
        if wanted in (str(code).lower(), code.slug):
            return code
    digits = wanted.removeprefix("pfl")
    return _TABLE.get(int(digits)) if digits.isascii() and digits.isdigit() and len(digits) <= 4 else None


# 00xx: files
FILE_NOT_FOUND = _error(1, "file-not-found", "a file that was asked for does not exist")
IS_A_DIRECTORY = _error(2, "is-a-directory", "a folder stands where a file must")
FILE_NOT_READABLE = _error(3, "file-not-readable", "a file exists but cannot be read")
NOT_UTF8 = _error(4, "not-utf8", "a file holds bytes that are not UTF-8 text")
EMPTY_FILE = _warning(5, "empty-file", "a file declares nothing")

MODULE_NOT_FOUND = _error(
    20, "module-not-found", "an import names a module or a file that does not exist, or that cannot be read"
)
IMPORT_CYCLE = _error(21, "import-cycle", "files import each other in a circle")
IMPORTED_NAME_NOT_FOUND = _error(
    22, "imported-name-not-found", "an import lists a name that the module does not declare"
)
IMPORTED_NAME_CLASH = _error(23, "imported-name-clash", "two declarations with one name meet through imports")
IMPORT_REFUSED = _error(24, "import-refused", "an import names a file that a model may not read")

# 01xx: syntax
UNEXPECTED = _error(101, "unexpected-text", "something stands where the language expects something else")
MISSING_SEMICOLON = _error(102, "missing-semicolon", "a statement or declaration does not end in `;`")
UNCLOSED_BLOCK = _error(103, "unclosed-block", "a block is opened by `{` and never closed")
UNCLOSED_BRACKET = _error(104, "unclosed-bracket", "a `(` or `[` is not closed, or closed by another bracket")
STRAY_BRACKET = _error(105, "stray-bracket", "a closing bracket has no opening one")
STRAY_CHARACTER = _error(106, "stray-character", "a character has no meaning in PFL")
UNCLOSED_COMMENT = _error(107, "unclosed-comment", "a comment is opened by `/*` and never closed")
UNCLOSED_STRING = _error(108, "unclosed-string", "a text in quotes is not closed on its line, or has the wrong quotes")
RESERVED_WORD = _error(109, "reserved-word", "a reserved word stands where a name must")
FOREIGN_SPELLING = _error(110, "foreign-spelling", "a sign or word of another language is used")
MALFORMED_NUMBER = _error(111, "malformed-number", "a number is not written as PFL writes numbers")
CHAINED_COMPARISON = _error(112, "chained-comparison", "comparisons are chained, as in `a < b < c`")
WRONG_EQUALS = _error(113, "wrong-equals", "`=` and `==` are mixed up")
WRONG_ARROW = _error(114, "wrong-arrow", "`->`, `-->`, `=>` or `--` are mixed up")
NOT_A_DECLARATION = _error(115, "not-a-declaration", "something at the top of a file begins no declaration")
NOT_A_PLACE = _error(116, "not-a-place", "the left side of `=` or `~` is not a variable, an element or a field")
DOES_NOTHING = _error(117, "does-nothing", "a statement computes a value and does nothing with it")
STEPWISE = _error(118, "stepwise-without-call", "`stepwise` stands before something that it cannot run")
VARIABLE_EXPECTED = _error(119, "variable-expected", "a condition must be preceded by a variable")
ARRAY_TYPE_SIZE = _error(120, "array-type-size", "an array type has no size, or several")
OUTPUT_LIST = _error(121, "output-list", "an `output` line lists actions and types together")
MISSING_COMMA = _error(122, "missing-comma", "the entries of a list are not separated by `,`")
MISSING_ELSE = _error(123, "missing-else", "an `if` that is a value has no `else`")
STRAY_SEMICOLON = _error(124, "stray-semicolon", "a `;` ends nothing")
PARENTHESES_NEEDED = _error(125, "parentheses-needed", "a part of an expression or a type must stand in parentheses")
MISSPELT_WORD = _error(126, "misspelt-word", "a word of the language is misspelt")
MALFORMED_MODEL_TEXT = _error(
    130, "malformed-model-text", "the text of a model is not written as `pflc emit ir` writes it"
)
UNKNOWN_REFERENCE = _error(131, "unknown-reference", "the text of a model refers to what it has not described")
OTHER_MODEL_TEXT = _error(132, "other-model-text", "the text of a model is of another version")
UNSOUND_MODEL_TEXT = _error(133, "unsound-model-text", "the text of a model breaks what every model satisfies")
SETTING_OF_MODEL_TEXT = _error(134, "setting-of-model-text", "an option would change a model that is given as text")
MODEL_TEXT_AS_SOURCE = _error(135, "model-text-as-source", "the text of a model stands where a source is needed")

# 02xx: names
UNKNOWN_NAME = _error(201, "unknown-name", "a name is used that nothing declares")
UNKNOWN_FUNCTION = _error(202, "unknown-function", "a call names a function that nothing declares")
UNKNOWN_TYPE = _error(203, "unknown-type", "a name stands where a type must, and no type has that name")
UNKNOWN_SYSTEM = _error(
    204, "unknown-system", "a system, prior, adjacency, relation or claim is named that does not exist"
)
DECLARED_TWICE = _error(205, "declared-twice", "one file declares the same name twice")
LOCAL_HIDES_LOCAL = _error(206, "local-hides-local", "a local has the name of another local that is visible there")
HIDES_ENUM_VALUE = _error(207, "hides-enum-value", "a local has the name of an enum value")
AMBIGUOUS_ENUM_VALUE = _error(208, "ambiguous-enum-value", "a name is a value of two enums")
CIRCULAR_DEFINITION = _error(209, "circular-definition", "a declaration depends on itself")
NOT_A_VALUE = _error(210, "not-a-value", "a name stands where a value must, but means something else")
NOT_A_FUNCTION = _error(211, "not-a-function", "something is called that is not a function")
UNDECLARED_LETTER = _error(
    212, "undeclared-letter", "a name is produced that is not among the declared outputs of its system"
)
LIKELY_MISSPELLING = _warning(213, "likely-misspelling", "a symbol occurs once and is one edit away from another")
UNKNOWN_FIELD = _error(214, "unknown-field", "a record or a state has no field of that name")
UNKNOWN_STATE = _error(215, "unknown-state", "a table names a state that is not declared")
UNKNOWN_ACTION = _error(
    216, "unknown-action", "an automaton names a query, a data channel or an action that is not declared"
)
HIDES_BUILTIN = _error(217, "hides-builtin", "a declaration has the name of a built-in function")
LISTED_TWICE = _error(218, "listed-twice", "a list of names has one name twice")
NOT_OFFERED = _error(219, "not-offered", "a function of other languages is used that PFL does not offer")

# 03xx: types
TYPE_MISMATCH = _error(301, "type-mismatch", "a value has another type than its place asks for")
WRONG_OPERAND = _error(
    302, "wrong-operand", "an operator or a built-in function is applied to a value of a type it does not take"
)
INCOMPARABLE = _error(303, "incomparable", "two values are compared that can never be equal")
WRONG_ARGUMENT_COUNT = _error(304, "wrong-argument-count", "a call has too few or too many arguments")
WRONG_ARGUMENT_NAME = _error(
    305, "wrong-argument-name", "a named argument matches no parameter, or one that is already given"
)
MATCH_NOT_EXHAUSTIVE = _error(306, "match-not-exhaustive", "a match leaves out values of its subject")
UNREACHABLE_ARM = _warning(307, "unreachable-arm", "an arm of a match can never be chosen")
PATTERN_NOT_CONSTANT = _error(
    308, "pattern-not-constant", "a pattern names a variable: patterns are constants and never bind"
)
DRAWN_FROM_VALUE = _error(309, "drawn-from-value", "`~` draws from something that is not a distribution")
DISTRIBUTION_NOT_DRAWN = _error(310, "distribution-not-drawn", "a distribution stands where one of its values must")
NOT_ASSIGNABLE = _error(311, "not-assignable", "an assignment goes to something that is not a variable")
NO_SUCH_PART = _error(312, "no-such-part", "an index, field or component is taken of a value that has none")
NOT_A_TYPE = _error(313, "not-a-type", "something stands where a type must that is not one")
NOT_A_DOMAIN = _error(
    314, "not-a-domain", "something is gone through, or drawn from, that has no finite list of elements"
)
MISPLACED_LOGARITHM = _error(315, "misplaced-logarithm", "`ln` stands where no logarithm can")
MISPLACED_STATEMENT = _error(316, "misplaced-statement", "a statement stands where it has no meaning")
MISPLACED_MOMENT = _error(317, "misplaced-moment", "`x@t` stands outside the secrets of a claim about an hmm")
MISPLACED_EMITTING_CALL = _error(
    318, "misplaced-emitting-call", "a mechanism that emits is called where its outputs have no place"
)
UNKNOWN_TYPE_OF_EMPTY = _error(
    319, "unknown-type-of-empty", "an empty value stands where nothing says what it is empty of"
)
WRONG_RETURN = _error(320, "wrong-return", "a `return` lacks a value, or has one too many")
MISPLACED_GENERATOR = _error(
    321, "misplaced-generator", "`e for x in S` stands outside `sum`, `count`, `min`, `max` or `union`"
)
MISPLACED_STEPWISE = _error(
    322, "misplaced-stepwise", "`stepwise` is used outside a handler, or with something that is no mechanism call"
)
COUNTS_FALSE = _warning(323, "counts-false", "`count` goes through truth values, and counts the false ones too")
VALUE_OUTSIDE_TYPE = _error(340, "value-outside-type", "a value lies outside the type of its place")
INDEX_OUT_OF_RANGE = _error(341, "index-out-of-range", "an index lies outside its array")
DIVISION_BY_ZERO = _error(342, "division-by-zero", "a number is divided by 0")
EXTREMUM_OF_NOTHING = _error(343, "extremum-of-nothing", "`min` or `max` is taken of nothing")
NEGATIVE_POWER_OF_ZERO = _error(344, "negative-power-of-zero", "0 is raised to a negative power")
EQUAL_KEYS = _error(345, "equal-keys", "a distribution lists one key twice")
EMPTY_TYPE = _error(346, "empty-type", "a type has no values where one is needed")
UNIFORM_OF_NOTHING = _error(347, "uniform-of-nothing", "`uniform` is applied to an empty set")
NO_ARM_MATCHES = _error(348, "no-arm-matches", "no arm of a match fits a value that occurs")
DEPENDS_ON_PARAMETER = _error(349, "depends-on-parameter", "a decision depends on the value of a symbolic parameter")
NEGATIVE_SIZE = _error(350, "negative-size", "a size, a capacity or a number of trials is negative")
LOGARITHM_OF_NONPOSITIVE = _error(351, "logarithm-of-nonpositive", "`ln` is taken of a number that is not positive")
NOT_AN_EPSILON = _error(352, "not-an-epsilon", "an epsilon is not a rational number plus multiples of logarithms")
ARRAY_KEYS = _error(353, "array-keys", "the keys of an array are not the values of its enum, each once")
UNKNOWN_SETTING = _error(360, "unknown-setting", "`--set` names neither a const nor a param of the model")
SETTING_DOES_NOT_FIT = _error(361, "setting-does-not-fit", "the value of a `--set` does not fit what it names")
EMPTY_INTERVAL = _error(362, "empty-interval", "the interval of a param has no values")
NOT_AN_ASSUMPTION = _error(363, "not-an-assumption", "an `assume` is not made of comparisons of parameters")
ASSUMPTION_VIOLATED = _error(364, "assumption-violated", "an `assume` is false for the constants and settings given")

# 04xx: systems
ROW_SUM = _error(401, "row-does-not-sum-to-one", "the probabilities of a row or distribution do not sum to 1")
NEGATIVE_WEIGHT = _error(402, "negative-weight", "a probability is negative, or larger than 1")
MIXED_FORMS = _error(410, "mixed-forms", "a system mixes the table form with the program form")
ROW_TWICE = _error(411, "row-given-twice", "a table gives the row of a state twice")
ENTRY_TWICE = _error(412, "entry-given-twice", "a row has one state or letter twice")
STATE_WITHOUT_ROW = _error(413, "state-without-row", "a table has no row for a state")
NO_STATE = _error(414, "no-state", "a system declares no state")
UPDATED_TWICE = _error(415, "updated-twice", "a part of a system is given twice")
HANDLER_MISSING = _error(416, "handler-missing", "an automaton has no handler for one of its inputs")
HANDLER_TWICE = _error(417, "handler-twice", "an automaton has two handlers for one input")
START_MISSING = _error(418, "start-missing", "nothing says where an automaton starts")
RESPONDS_NOT_ONCE = _error(419, "responds-not-once", "a path of `on query` does not respond exactly once")

TRANSITION_NONDETERMINISM = _error(
    421, "transition-nondeterminism", "a state of a table has two transitions for one action"
)
OUTPUT_NONDETERMINISM = _error(
    422, "output-nondeterminism", "a state of a table has an output or hidden action and another action too"
)
INPUT_NOT_ENABLED = _error(423, "input-not-enabled", "a state of a table accepts some inputs but not all")
START_UNKNOWN = _error(424, "prior-does-not-start", "a prior does not say where its system starts")
RELATION_CLAUSE = _error(425, "relation-clause", "a relation has an unknown, doubled or missing clause")
STEP_LINES_DEPEND = _error(
    428, "step-lines-depend", "two simultaneous `step` lines set parts of one variable that depend on it"
)
EMPTY_ALPHABET = _error(429, "empty-alphabet", "a system declares that it shows something, and lists nothing")
PROBABILITY_MISSING = _error(427, "probability-missing", "an entry of a row with several entries has no probability")
ADJACENCY_SHAPE = _error(426, "adjacency-shape", "the left and right inputs of an adjacency do not match")
NEGATIVE_FOR_PARAMETERS = _error(
    470, "negative-for-parameters", "a probability is negative at some values of the parameters"
)
POLE_FOR_PARAMETERS = _error(471, "pole-for-parameters", "a denominator is 0 at some values of the parameters")
CONTRADICTORY_ASSUMPTIONS = _error(
    472, "contradictory-assumptions", "no values of the parameters satisfy all assumptions"
)
LOGARITHM_FOR_PARAMETERS = _error(
    473, "logarithm-for-parameters", "`ln` in an epsilon has no value at some values of the parameters"
)

NOT_AN_EXPONENT = _error(480, "not-an-exponent", "`exp` is taken of something that is no multiple of one parameter")
NOISE_PARAMETER = _error(481, "noise-parameter", "noise has a mean, a scale or a parameter that it cannot have")
SAMPLE_MISUSED = _error(
    482, "sample-misused", "something is asked of a sample of noise that its comparisons do not tell"
)
NOISE_MISPLACED = _error(483, "noise-misplaced", "noise without bounds is drawn where only finite noise can be")
SAMPLE_IN_LOOP = _error(484, "sample-in-loop", "a loop that may run for ever goes on comparing one sample")
MIXED_EXPONENTS = _error(
    485, "mixed-exponents", "the numbers of a claim hold exponentials of several parameters, or of one among others"
)
INTERVAL_WITHOUT_END = _error(
    486, "interval-without-end", "a parameter without a largest value stands where a bounded one must"
)
GAUSSIAN_MISPLACED = _error(
    487, "gaussian-misplaced", "something is asked of Gaussian noise that enclosures do not tell"
)

NO_RETURN = _error(440, "no-return", "a run of a mechanism with `->` reaches the closing brace")
ASSERT_FAILED = _error(441, "assert-failed", "an `assert` fails on a state that can be reached")
READ_BEFORE_VALUE = _error(442, "read-before-value", "a variable is read before it has a value")
MAY_NOT_END = _error(443, "may-not-end", "a loop may run for ever where a result is needed")
RECEIVED_TYPE_VARIES = _error(444, "received-type-varies", "the type of a received input depends on the run")
MECHANISM_VARIES = _error(445, "mechanism-varies", "which mechanism emits here is known only while it runs")
COST_NOT_COUNTED = _error(447, "cost-not-counted", "costs are counted, but some are hidden in a distribution")
RESPONSE_MISSING = _warning(460, "response-missing", "a table lets a query go without a response")
RESPONSE_UNASKED = _warning(461, "response-unasked", "a table gives a response that no query waits for")
DEAD_END = _warning(462, "dead-end", "a table comes to a state that does nothing and takes no input")
SILENT_FOR_EVER = _warning(469, "silent-for-ever", "an automaton may take hidden steps for ever")
EMPTY_ADJACENCY = _error(446, "empty-adjacency", "an adjacency relates no two inputs")
NOT_SYMMETRIC = _warning(450, "not-symmetric", "an adjacency relates two inputs in one order only")
NO_NEIGHBOUR = _warning(452, "no-neighbour", "an input lies outside the types of an adjacency")
NEVER_ENDS = _warning(451, "never-ends", "a mechanism runs for ever with positive probability")

# 05xx: claims
UNKNOWN_CLAIM_KIND = _error(501, "unknown-claim-kind", "a claim is of a kind that does not exist")
UNKNOWN_CLAUSE = _error(502, "unknown-clause", "a claim has a clause that its kind does not know")
CLAUSE_TWICE = _error(503, "clause-given-twice", "a claim gives a clause twice")
CLAUSE_MISSING = _error(504, "clause-missing", "a claim lacks a clause that its kind needs")
WRONG_SYSTEM = _error(505, "wrong-kind-of-system", "a claim is about a kind of system that it cannot judge")
WRONG_CLAUSE_VALUE = _error(506, "wrong-clause-value", "a clause is followed by something it does not take")
CLAIM_ARGUMENTS = _error(507, "claim-arguments", "a claim gives its system too few or too many arguments")
CLAIM_NAME_TWICE = _error(508, "claim-name-twice", "two claims have one name")
FOREIGN_PRIOR = _error(
    509, "prior-of-another-system", "a claim uses a prior or a relation that was declared for another system"
)
NOT_A_PARAMETER = _error(510, "not-a-parameter", "a find names something that is not a param")
ADJACENCY_DOES_NOT_FIT = _error(
    511, "adjacency-does-not-fit", "an adjacency does not relate the inputs of the mechanism"
)
NO_START = _error(512, "no-start", "nothing says where the system of a claim starts")
FIND_TARGET = _error(513, "find-target", "a find is about a claim that it cannot solve")
RECEIVES = _error(514, "adversary-chooses", "a probability is asked of a mechanism whose inputs an adversary chooses")
NOTHING_TO_COMPARE = _error(515, "nothing-to-compare", "a claim of indistinguishability has nothing to compare")
FOUND_IN_VAIN = _warning(516, "found-in-vain", "a find looks for a param on which its claim does not depend")
NOTHING_OBSERVED = _warning(517, "nothing-observed", "a claim about what is seen of an hmm that shows nothing")
FIND_WITH_EXPONENTIALS = _error(
    518, "find-with-exponentials", "a find is about a claim whose numbers hold exponentials"
)
UNKNOWN_CLAIM = _error(540, "unknown-claim", "a claim is asked for that the model does not declare")
NOT_A_CERTIFICATE = _error(541, "not-a-certificate", "a file that should hold a proof cannot be used as one")

UNKNOWN_OBSERVATION = _error(550, "unknown-observation", "an observation is named that the system never makes")
SECRET_OF_PROBABILITY_ZERO = _warning(
    551, "secret-of-probability-zero", "a secret has probability 0, so nothing is asked"
)
LENGTH_ZERO = _warning(552, "length-zero", "a claim about words without letters holds trivially")
WRONG_LENGTH = _error(553, "wrong-length", "a length is not a whole number of letters")
NEGATIVE_EPSILON = _error(554, "negative-epsilon", "an epsilon is negative")
DELTA_OUT_OF_RANGE = _error(555, "delta-out-of-range", "a delta does not lie between 0 and 1")
VARIES_WITH_FOR = _error(557, "varies-with-for", "a check has different lengths or deltas for the values of `for`")
WRONG_MOMENT = _error(556, "wrong-moment", "a secret is about a moment before the start")
MOMENT_VARIES = _error(558, "moment-varies", "a secret is about a moment that is not the same on every run")

ENDLESS_STARTS = _error(
    560, "endless-starts", "a claim ranges over the starts of a system that has infinitely many states"
)
NO_SUCH_START = _error(561, "no-such-start", "no state satisfies the `from` of a claim")
NEGATIVE_MOVES = _error(562, "negative-moves", "a claim allows a negative number of moves")
NOTHING_RANGED_OVER = _error(563, "nothing-ranged-over", "the `for` of a claim ranges over an empty set")
NO_CHAIN = _error(564, "no-chain", "a claim is asked for as a Markov chain that is about none")

NO_DATA_POINTS = _warning(580, "no-data-points", "a claim compares runs of an automaton that takes no data points")
RELATION_OF_OTHER_ARGUMENTS = _error(
    581, "relation-of-other-arguments", "a relation is for its automaton with other arguments than the claim"
)
NEGATIVE_BALANCE = _error(582, "negative-balance", "a balance of a relation is negative")

# 06xx: engines
SOLVER_NOT_FOUND = _error(601, "solver-not-found", "an SMT solver is asked for that is not there")
SOLVER_CANNOT_RUN = _error(602, "solver-cannot-run", "a file that should be an SMT solver cannot be run")
NO_CLUSTER = _error(604, "no-cluster", "claims are to be judged by a cluster that does not answer")
PARAMETERS_LEFT = _error(640, "parameters-left", "a system cannot be run while its probabilities depend on parameters")
NO_QUERY = _error(603, "no-query", "a claim is asked for as SMT-LIB that no query expresses")

# 07xx: limits
NESTING = _error(701, "nested-too-deeply", "brackets or operators are nested in more than 500 levels")
NUMBER_SIZE = _error(702, "exponent-too-large", "a number has more than 100000 digits, or such an exponent")
DOMAIN_TOO_LARGE = _error(710, "domain-too-large", "a type or range has too many values to go through")
NUMBER_TOO_LARGE = _error(711, "number-too-large", "a number has too many digits to compute")
EVALUATION_TOO_LONG = _error(712, "evaluation-too-long", "an expression takes too long to evaluate")
TOO_MANY_STATES = _error(720, "too-many-states", "a system has more states than `--max-states` allows")
TOO_LARGE_TO_DRAW = _error(730, "too-large-to-draw", "a system is asked for as a drawing that has too many states")
LIMIT_REACHED = _error(790, "limit-reached", "a limit was reached before a model or a claim was ready to be judged")

# 09xx: our own faults
INTERNAL_ERROR = _error(901, "internal-error", "the compiler has failed; this is a fault of pflc, not of the model")
