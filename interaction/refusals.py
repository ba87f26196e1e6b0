"""Why a frame is refused. The socket survives all of these but `Stale`, after which it is closed."""


class Refusal(Exception):
    """A frame is not taken; `code` is the contract's word, the text a sentence for whoever reads the client's log."""

    code = "invalid"


class Gap(Refusal):
    """Frames before this one have not come."""

    code = "gap"


class Stale(Refusal):
    """A newer connection has taken this one's place."""

    code = "stale"


class TooMany(Refusal):
    """More frames than one connection may send; this one does not count."""

    code = "rate"


class SessionClosed(Refusal):
    """The session is over, or no longer this agent's."""

    code = "closed"
