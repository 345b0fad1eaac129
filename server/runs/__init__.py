"""The verbs: what can happen to a thread, one file and one public function each."""
