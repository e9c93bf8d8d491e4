"""What is told of findings, in six formats: for people, one line a claim, JSON, JSON lines, SARIF and JUnit.

Comes in: `Findings`, piece by piece or whole, and the `Tally` of them. Goes out: text, or lines with styles
(`StyledLine`) that `pfl.cli` paints.

Read first `record`: a `Record` is a claim with its `Judgement`, every fact once and exact, and the one place that goes
through the kinds of verdict. `statement` says a verdict in one sentence, and how bounds and numbers are put into words;
`numbers` writes single numbers. A format then is one file that reads records and knows nothing of verdicts:

* `human`, with the facts under a verdict from `details`, and `styled` for columns, wrapping and what cannot be shown;
* `details`, one line a claim and a diagnostic (`concise`);
* `json`, also as lines; `sarif` and `junit`, which hold the JSON of each claim as well.

`diagnostics` draws the places in a source; `proof` is what `pflc verify` says.

What always holds:

* All formats say the same: what one shows, every other shows. tests/unit/report/test_report_fields.py goes through all
  fields of verdicts and records.
* A number is exact wherever it is short enough. Decimals that stand side by side have as many places as tell them
  apart, and a decimal of an interval never hides its width.
* Text from a model cannot act on a terminal or break a line: `visible`. A report depends on findings alone, not on the
  time, the machine or the order in which processes end.
"""
