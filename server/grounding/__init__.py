"""What may be said: sentences, citations and their support. Pure: text in, text out."""
