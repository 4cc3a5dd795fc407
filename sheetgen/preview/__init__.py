"""A page in the browser that shows a print and its findings, and follows the editor."""
