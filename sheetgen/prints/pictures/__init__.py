"""Pictures of prints, and decks of cards for online tables."""
