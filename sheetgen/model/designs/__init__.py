"""The models of designs; the fields are their YAML's keys."""
