"""Ways to the owner."""
