"""The endpoints of the core: what pipelines ask of projects, and what workers' browsers ask."""
