"""I/O. Each adapter implements ports; none knows another."""
