"""What needs a person: the queue, adjudication, the two taxonomies and what was found in them."""
