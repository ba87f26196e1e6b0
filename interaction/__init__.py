"""Live sessions: a worker commands an agent in one voxel world."""
