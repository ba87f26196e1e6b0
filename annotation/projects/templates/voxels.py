"""The template of finding things in scenes: people mark the blocks of an object that a phrase names."""

from decimal import Decimal

from annotation.models import Method, Project
from annotation.offer.experiments import PayBody
from annotation.projects.projects import ProjectBody
from annotation.projects.templates.template import GATES, START, Template, closing_early, pages, quiz, single

WHAT = """# What you do here

You see a small world of blocks and read a few words, such as “the red tower”. You **mark all blocks of that thing**,
and no others.

An assistant learns from it what people mean when they speak of a thing."""

HOW = """# How to mark

- The world is shown twice. On the left it stays as it is; on the right you mark. Drag to turn it, scroll to
  come nearer.
- **Click** marks one block. **Flood** marks all blocks of one colour that touch. **Box** marks everything between two
  corners. **Unmark** takes blocks away again.
- Turn the world before you hand in. A thing has a back, too.
- If the thing is not there, press **It is not there**."""

UNSURE = """# When you are not sure

- Mark the whole thing: a house with its roof and door, but without the ground that it stands on.
- If the words fit several things, mark the one that you would point at first.
- A colour may look darker in the shade. Compare it with the list of blocks beside the world.

Some scenes were marked by us before, to see whether these instructions are clear. They look like all others."""

VOXELS = Template(
    name="voxels",
    question="What is in these scenes?",
    answer="People mark the blocks that a phrase names. You get a mask of each object, with how sure it is.",
    quiz=quiz(
        "Before you mark blocks",
        single(
            "whole-thing",
            "The words are “the house”. What do you mark?",
            "All its blocks: walls, roof and door",
            "Only the front that I see",
            "The house and the ground around it",
        ),
        single(
            "not-there",
            "The words are “the blue tower”, and there is no blue tower. What do you do?",
            "I press “It is not there”",
            "I mark the tower that looks most like it",
            "I leave it empty and hand in",
        ),
        single(
            "behind",
            "What do you do before you hand in?",
            "I turn the world and look at the back of the thing",
            "Nothing: what I see is enough",
        ),
    ),
    body=ProjectBody(
        tool="voxels",
        title="",
        instructions=pages(WHAT, HOW, UNSURE),
        redundancy=3,
        start=START,
        pay=PayBody(base={"amount": Decimal("0.12"), "currency": "USD"}),
        gates=GATES,
        aggregation=closing_early(Method.MAJORITY, most=5),
        settings={"stage": "mark"},
        status=Project.Status.DRAFT,
    ),
    task_s=40,
)
