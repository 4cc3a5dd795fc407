"""The formula language: parse, evaluate, write out."""
