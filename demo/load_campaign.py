"""The project `loop`: a campaign of the learning loop that simulated workers went through, kept as a file.

Real processes made it: a server, the built-in agent with a weak first model, simulated workers at its pages
(`demo/loop/`). Only the models, their predictions, the items that they learnt from and the commands are kept.
"""

from datetime import datetime, timedelta
from pathlib import Path

from agents.programs import AgentBody, put_agent
from annotation.models import Project
from demo.loop import archive
from demo.loop.world import AGENT, LIVE
from demo.projects import put_demo_project
from learning.models import Campaign, Tranche
from routing import tree_versions

PROJECT = LIVE
FILE = "campaign.zip"
ENDED_BEFORE = timedelta(hours=1)
INSTRUCTIONS = ["# A past campaign\n\nSimulated workers have been here. Nobody is invited."]


def is_loaded() -> bool:
    """Whether the campaign is there, or other data of learning that it would mix with."""
    return Project.objects.filter(slug=PROJECT).exists() or Tranche.objects.exists()


def load(folder: Path, *, at: datetime) -> Campaign:
    """Make the project, and the campaign as if it had ended an hour before.

    Args:
        folder: Contains the file of the campaign.
    """
    began = at - timedelta(days=1)
    tree_versions.make_first(at=began)
    body = AgentBody(name="The built-in agent of that time", description="", kind="agent", metadata={})
    put_agent(slug=AGENT, body=body, by="system", at=began)
    project = put_demo_project(
        slug=PROJECT,
        tool="interaction",
        title="A past campaign of the learning loop",
        instructions=INSTRUCTIONS,
        redundancy=1,
        reference_rate=0.0,
        pay="1.50",
        settings={"agent": AGENT, "sessions": 1, "tree": "default", "minimum_s": 0},
        at=began,
    )
    Project.objects.filter(pk=project.pk).update(status=Project.Status.CLOSED)
    return archive.load(folder / FILE, project=project, until=at - ENDED_BEFORE)
