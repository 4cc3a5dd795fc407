"""The press: fill plates with values and write PDF pages."""
