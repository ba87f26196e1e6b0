"""The tables of learning: tranches and their items, trainings, models, which of them act, campaigns and replays."""

from learning.models.campaigns import Campaign, Iteration
from learning.models.deployments import Deployment, GateVerdict, Serving, SessionModels
from learning.models.replays import Replay
from learning.models.trained import Tested, TrainedModel
from learning.models.trainings import Run, Training
from learning.models.tranches import Item, Tranche

__all__ = [
    "Campaign",
    "Deployment",
    "GateVerdict",
    "Item",
    "Iteration",
    "Replay",
    "Run",
    "Serving",
    "SessionModels",
    "Tested",
    "TrainedModel",
    "Training",
    "Tranche",
]
