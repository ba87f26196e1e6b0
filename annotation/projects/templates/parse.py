"""The template of parsing commands: people answer small questions about a command, which make its logical form."""

from decimal import Decimal

from annotation.models import Method, Project
from annotation.offer.experiments import PayBody
from annotation.projects.projects import ProjectBody
from annotation.projects.templates.template import GATES, START, Template, closing_early, pages, quiz, single

WHAT = """# What you do here

Somebody told an assistant in a world of blocks what to do. The assistant must learn what was meant. You read **one
sentence** and answer small questions about it, one after another.

You need to know nothing about computers. Say what the words mean to you."""

HOW = """# How to answer

- Choose what fits, or tap the words of the sentence that say it. The keys **1** to **9** choose too.
- Beside each choice stands an example.
- What you have said so far is shown as a sentence that grows while you answer.
- At the end you read all of it, and say whether it is what was asked for. If a part is wrong, say which."""

UNSURE = """# When you are not sure

- If several answers would do, take the one that you thought of first.
- Mark all the words that belong to a thing, and no more: in “the big red house”, the colour is “red”.
- If nothing fits, choose **I cannot tell**.
- If nobody asks for anything, say that it is **not a command**.

Some sentences were answered by us before, to see whether these instructions are clear. They look like all others."""

PARSE = Template(
    name="parse",
    question="What do these commands mean?",
    answer="People answer small questions about each command. You get its logical form, checked by several people.",
    quiz=quiz(
        "Before you read commands",
        single(
            "which-words",
            "“Build a tall red tower.” Which word says how big it is?",
            "tall",
            "red",
            "tower",
        ),
        single(
            "no-command",
            "“Hello, how are you?” What is that?",
            "Not a command",
            "A command to build something",
            "A command to go somewhere",
        ),
        single(
            "one-thing",
            "“Dig a hole next to the house.” What shall the assistant do?",
            "Dig a hole",
            "Build a house",
            "Go into the house",
        ),
        single(
            "several-fit",
            "Two answers would do. Which do you take?",
            "The one that I thought of first",
            "The longer one",
            "I cannot tell",
        ),
    ),
    body=ProjectBody(
        tool="parse",
        title="",
        instructions=pages(WHAT, HOW, UNSURE),
        redundancy=3,
        start=START,
        pay=PayBody(base={"amount": Decimal("0.05"), "currency": "USD"}),
        gates=GATES,
        aggregation=closing_early(Method.MAJORITY, most=5),
        settings={"given_to": "one_worker"},
        status=Project.Status.DRAFT,
    ),
    task_s=15,
    answers_for_a_task=5,
)
