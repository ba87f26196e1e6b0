"""Pages of ours as PDF files, without a browser."""
