"""Review: the queue of cases for reviewers, adjudication, the two taxonomies and the findings."""
