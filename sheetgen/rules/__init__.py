"""What a ruleset can say: formulas, names, dice, lines of text."""
