"""Export to and import from the files of other programs (start with `formats.py`).

One format is one module, or one package: a function that turns checked builds into files, and
perhaps one that turns a file into an author's YAML. Neither writes; the commands do.
"""
