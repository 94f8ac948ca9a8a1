// The photo step works without it.
