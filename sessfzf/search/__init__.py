"""Searching what was said: the pattern, the bytes it leaves in a file, and who looks for them."""
