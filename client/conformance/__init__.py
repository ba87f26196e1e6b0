"""Whether an agent keeps to the gateway's protocol: a small gateway of its own that plays a worker and looks on."""
