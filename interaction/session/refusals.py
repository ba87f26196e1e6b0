"""Reasons to refuse a frame. The socket stays open after all of them but `Stale`."""


class Refusal(Exception):
    """A frame is refused; `code` is the contract's word, the text a sentence for the log of the client."""

    code = "invalid"


class Gap(Refusal):
    """Frames before this one are missing."""

    code = "gap"


class Stale(Refusal):
    """A newer connection has taken this one's place."""

    code = "stale"


class TooMany(Refusal):
    """The connection sent more frames than it may; this one does not count."""

    code = "rate"


class SessionClosed(Refusal):
    """The session is over, or belongs to another process of the agent."""

    code = "closed"
