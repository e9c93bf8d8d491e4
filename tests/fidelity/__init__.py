"""A search for wrong answers about parameters: random small models with an oracle that shares no code.

Something that is divided by may vanish at some value of a parameter; a claim "for all p" then says something of that
value, too. Generators write models in which this happens, in every kind of system, and yield with the text what is
right at any one value; `judge` compares with what pflc says of all values, and of single ones by `--set`.
"""
