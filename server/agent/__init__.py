"""The graph. Knows LangGraph and the ports; no HTTP, no SQL."""
