"""Test whether an agent follows the gateway's protocol, with a small gateway that plays a worker."""
