"""The models of a ruleset; the fields are its YAML's keys."""
