"""One file per tool, and the catalog that holds them."""
