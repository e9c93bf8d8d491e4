"""Declarations: functions, hmms, mechanisms, priors, automata, relations."""
