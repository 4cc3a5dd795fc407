"""Print what a role-playing table needs, from characters and rulesets that are data.

READ FIRST: `prints/`, where each kind of print is one file. Floors, imports downwards only:
    cli       one command, one file: options in, files and findings out
    books     many prints: jobs on an executor, records, combined files
    readback  a filled sheet back into its author's YAML
    prints    load, check, plan, render, finish, bytes
    finish    finished PDFs, ours or a stranger's: merge, booklet, inks, archive, preflight
    render    a plan to bytes: plates, press, flow, html, fonts
    plan      a build to what is where on a page, engine-free
    check     a character and a ruleset to a build, with findings; rulesets; proofs
    rules     the rule language: formulas, odds, tables
    load      files to sources with a place for every value: the only package that opens input
    write     bytes to files, whole or not at all: the only package that writes
    model     frozen models of what flows from step to step
    diag      findings and their codes
"""

__version__ = "0.1.0"
