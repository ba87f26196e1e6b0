"""The models of routing: trees in versions, error reports, routes, and sendings of commands to projects."""

from routing.models.reports import ErrorReport
from routing.models.routes import Route, Sending
from routing.models.trees import Tree, TreeVersion, TreeVersionQuerySet

__all__ = ["ErrorReport", "Route", "Sending", "Tree", "TreeVersion", "TreeVersionQuerySet"]
