"""The program's command `post`: what is posted, what was posted already, and the posting."""
