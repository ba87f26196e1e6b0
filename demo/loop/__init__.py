"""A simulated world for the learning loop: workers who command the built-in agent, judge it and repair its data.

They use what people use: the sockets of the session page and the API of the work pages. The truth of each command is
known to them alone.
"""
