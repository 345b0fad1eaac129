"""Cases a twin is held to: read from a file, played on the real graph, judged, reported."""
