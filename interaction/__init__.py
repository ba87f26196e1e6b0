"""What happened live: a worker and an agent in one voxel world."""
