"""Designs: templates, tokens, themes, presets, fonts."""
