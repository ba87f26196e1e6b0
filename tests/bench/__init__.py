"""`python -m tests.bench`: one table of ratios. What is compared is measured by turns in the same run, so that a busy
machine slows both; nothing here passes or fails."""
