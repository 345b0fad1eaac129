"""The owner's folder of Markdown: read, cut into passages, searched by words and by meaning."""
