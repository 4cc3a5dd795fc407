"""A character and its ruleset to a build; `builds.py` lists the steps in order."""
