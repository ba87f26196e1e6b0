"""Crosswalk and other annotation servers, measured over HTTP alone, each by what an annotator and a pipeline do."""
