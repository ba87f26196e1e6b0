"""The endpoints of evaluation: suites, episodes, uploads, projects that take them, rankings."""
