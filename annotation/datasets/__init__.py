"""Exports of a project's results (annotations, forms, masks, scenes), and imports of answers known to be right."""
