"""Suites, episodes, candidates, and what figures are made of."""

from evaluation.models.candidates import Candidate
from evaluation.models.episodes import Episode, EpisodeQuerySet, Film, Resemblance, Upload, UploadPart
from evaluation.models.failures import FailureSample, SampledFailure
from evaluation.models.figures import EpisodeTask, Feed, KeptFigure, Report, Tally, ToldOfFeed
from evaluation.models.suites import CONTINUATIONS, Revision, Scenario, Suite, SuiteQuerySet, Version

__all__ = [
    "CONTINUATIONS",
    "Candidate",
    "Episode",
    "EpisodeQuerySet",
    "EpisodeTask",
    "FailureSample",
    "Feed",
    "Film",
    "KeptFigure",
    "Report",
    "Resemblance",
    "Revision",
    "SampledFailure",
    "Scenario",
    "Suite",
    "SuiteQuerySet",
    "Tally",
    "ToldOfFeed",
    "Upload",
    "UploadPart",
    "Version",
]
