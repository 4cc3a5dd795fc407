"""Plan to bytes: markup, HTML, pages, plates and the press."""
