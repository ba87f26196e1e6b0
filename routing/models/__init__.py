"""What routing keeps: trees in versions, error reports, and the routes that make tasks of them."""

from routing.models.reports import ErrorReport
from routing.models.routes import Route, Sending
from routing.models.trees import Tree, TreeVersion, TreeVersionQuerySet

__all__ = ["ErrorReport", "Route", "Sending", "Tree", "TreeVersion", "TreeVersionQuerySet"]
