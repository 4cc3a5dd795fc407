"""What is done with finished PDFs, ours and others': looked through, inked, archived, imposed."""
