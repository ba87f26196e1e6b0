"""Staff pages that show episodes, suites and agents, the overview and the background work among them."""
