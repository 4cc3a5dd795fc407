"""HTML pages and live sheets; the JavaScript is in `scripts/`."""
