"""Statistics of a suite: agents times scenarios, with continuations that succeed or fail."""
