"""One node a file: a small function from state and runtime to an update."""
