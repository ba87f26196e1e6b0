"""The annotation tools, a folder each; `annotation.tool_registry` defines what a tool is."""
