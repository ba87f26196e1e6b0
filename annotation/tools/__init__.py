"""The tools of this app, a module or a folder each; `annotation.tool_registry` says what a tool is."""
