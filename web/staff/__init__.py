"""The pages of staff: a folder for each subject."""
