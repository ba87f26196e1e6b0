"""Trainers of eyes: from phrases in scenes and the voxels that they name."""
