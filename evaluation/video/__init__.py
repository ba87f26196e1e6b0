"""Videos of episodes: which frames there are, exactly when, and a form of them that scrubs.

`prepare` turns a posted file into what the marker page needs, or says what is wrong with it;
`FrameTable` is the only authority on frames and times. Nothing here knows of Django.
"""
