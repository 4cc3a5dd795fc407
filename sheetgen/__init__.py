"""Print what a role-playing table needs, from characters and rulesets that are data.

The way of every print, one package a step (read `prints/sheet.py` first):
    load    files -> sources with a place for every value -> rulesets and characters
    check   character + ruleset -> build, with findings
    plan    build + sheet -> what stands in each place
    render  plan -> bytes
    write   bytes -> files, whole or not at all
"""

__version__ = "0.1.0"
