"""HTTP in, SSE out. Knows FastAPI; knows no SQL and no LangGraph."""
