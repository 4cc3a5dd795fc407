"""JSON Schemas (draft-07) of authors' files, which editors read for completion and hover."""
