"""Voxel worlds at one moment, and the sets of voxels that objects cover (paper 004, sections 2.1, 2.3 and appendix B).

The frame and the palette are in `table.json`, which the front end reads too.
"""
