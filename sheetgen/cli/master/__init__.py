"""Commands for game masters: cards, fights, screens, odds."""
