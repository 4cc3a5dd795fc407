"""Tables on paper: measured, and distributed over pages in one or two columns."""
