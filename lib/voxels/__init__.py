"""Scenes (voxel worlds at one moment) and masks (sets of voxels); paper 004, sections 2.1, 2.3 and appendix B.

The limits and the palette are in `table.json`, which the front end reads too.
"""
