"""Videos of episodes: their frames, the exact times of the frames, and a proxy file for quick seeks.

`prepare` turns a posted file into the files of the marker page, or raises the reason why it cannot.
`FrameTable` is the only source of frame numbers and times.
"""
