"""Pages that WeasyPrint lays out: tables, screens, encounters, odds, covers."""
