"""What the staff's pages of projects say of sessions."""

from annotation.staff.tool_pages import ToolPage

PAGE = ToolPage(
    things="sessions",
    asks="What shall the assistant do?",
    all_about="The session",
    payload='{"agent": "builder"}',
    reference="A session has no right answer, so none can be a reference.",
)
