"""The template of a comparison of agents: people mark in recorded videos whether, and when, an agent succeeded."""

from decimal import Decimal

from annotation.models import Method, Project
from annotation.offer.experiments import PayBody
from annotation.projects.projects import ProjectBody
from annotation.projects.templates.template import GATES, START, Template, closing_early, pages, quiz, single

WHAT = """# What you do here

You watch short videos of a computer program, **the assistant**, at work. In each video the assistant was asked to do
one thing. You say **whether it did it, and when**.

The first part of a video is dimmed. In it a person prepares the scene. The assistant takes over where the dimmed part
ends, and only what happens from there on counts."""

HOW = """# How to mark

1. Read what the assistant was asked to do, and the line **What counts** below it.
2. Watch the video. You can play it, drag the slider, or go one picture at a time with the arrow keys.
3. Mark **one** moment:
   - **Success here** (key **S**): the first picture in which the thing is done.
   - **Failure here** (key **F**): the first picture after which it cannot be done any more.
   - **Never did it** (key **N**): the video ends, and the thing was not done.
4. Press **Submit**, or the key Enter.

If a success and a failure both happen, mark the one that comes first."""

UNSURE = """# When you are not sure

- A detour is no failure. The assistant may try things, as long as it gets there in the end.
- Almost done is not done. If what counts is not quite reached, it is no success.
- Luck counts: if it happened, it happened.
- If the video is black, does not play, or does not fit what was asked, press **Report a problem**. You lose nothing.

Some videos were judged by us before, to see whether these instructions are clear. They look like all others."""

MARKER = Template(
    name="marker",
    question="Which agent is best?",
    answer="People mark in recorded videos when each agent succeeds or fails. You get a ranking with intervals.",
    quiz=quiz(
        "Before you mark videos",
        single(
            "which-moment",
            "The assistant succeeds at 8 seconds, and undoes it again at 12 seconds. What do you mark?",
            "A success at 8 seconds",
            "A failure at 12 seconds",
            "Both",
        ),
        single(
            "dimmed-part",
            "The thing is done in the dimmed part, before the assistant takes over, and then undone. Does that count?",
            "No, only what happens after the assistant takes over counts",
            "Yes, done is done",
        ),
        single(
            "detour",
            "The assistant first walks the wrong way, then turns round and does what it was asked. What do you mark?",
            "A success, at the first picture in which the thing is done",
            "A failure, at the picture where it walks the wrong way",
        ),
        single(
            "never",
            "The video ends, and the assistant has not done it. What do you mark?",
            "Never did it",
            "Nothing: I go on to the next video",
            "A success at the last picture",
        ),
    ),
    body=ProjectBody(
        tool="marker",
        title="",
        instructions=pages(WHAT, HOW, UNSURE),
        redundancy=3,
        start=START,
        pay=PayBody(base={"amount": Decimal("0.15"), "currency": "USD"}),
        gates=GATES,
        aggregation=closing_early(Method.WEIGHTED, most=5),
        status=Project.Status.DRAFT,
    ),
    task_s=45,
)
