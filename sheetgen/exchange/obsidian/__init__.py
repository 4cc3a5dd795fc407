"""A vault of Obsidian: a note for each character, thing and table, with properties and links.

`notes.py` writes a note, `layouts.py` the layout of its statblock, `vault.py` the vault;
`reading.py` brings changed properties back.
"""
