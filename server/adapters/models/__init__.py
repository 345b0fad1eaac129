"""What writes the answers: any OpenAI-compatible API, quotes without a model, or a script for tests."""
