"""A simple eye that was learnt: which pieces of a scene a phrase names. Fitted in `learning/trainers/vision/`."""
