"""Recordings that come by a bucket: uploads that clients send to it, and files that lie in one already."""
