"""Pictures of the pages of finished PDFs."""
