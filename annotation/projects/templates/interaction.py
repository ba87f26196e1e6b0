"""The template of live sessions: people give an agent commands, watch it, and say where it went wrong."""

from decimal import Decimal

from annotation.models import Project
from annotation.offer.experiments import PayBody
from annotation.projects.projects import ProjectBody
from annotation.projects.templates.template import Template, pages, quiz, single

WHAT = """# What you do here

You meet **the assistant** in a small world of blocks. You tell it in your own words what to do, watch what it does, and
say whether it did what you asked.

Please try many different things. We learn most where the assistant fails."""

HOW = """# How it goes

1. Type a command, such as “build a small red house here”, and press Enter. One thing at a time works best.
2. Watch. The line above the world says what the assistant is doing. **Stop** ends it at any time.
3. Answer **Did it do what you asked?** If it did not, a few more questions find out what went wrong.
4. Go on with the next command until the clock has run out; then the button **Finish** appears.

The light at the top shows how varied your commands are. Green commands earn a bonus."""

UNSURE = """# Good to know

- Write as you would speak to a person, in English. Please write no names and nothing private.
- If the assistant did a part of it, it did not do what you asked. Say which part was wrong.
- If it does nothing for a long time, press **Stop** and try something else.
- You may leave at any time, and are paid for the time that you were here."""

INTERACTION = Template(
    name="interaction",
    question="Where does my agent fail live?",
    answer="People give it commands in a world of blocks and say what went wrong. You get error reports by module.",
    quiz=quiz(
        "Before you meet the assistant",
        single(
            "half-done",
            "You asked for a red house, and the assistant built a blue one. Did it do what you asked?",
            "No",
            "Yes",
        ),
        single(
            "what-to-try",
            "Which commands help us most?",
            "Many different ones",
            "The same one, until it works",
            "Only ones that I am sure will work",
        ),
        single(
            "private",
            "What do you never write?",
            "Names and private things",
            "Commands that the assistant may not understand",
        ),
    ),
    body=ProjectBody(
        tool="interaction",
        title="",
        instructions=pages(WHAT, HOW, UNSURE),
        redundancy=1,
        reference_rate=0,
        lease_s=30 * 60,
        limit_per_worker=3,
        pay=PayBody(base={"amount": Decimal("1.50"), "currency": "USD"}),
        settings={"sessions": 50},
        status=Project.Status.DRAFT,
    ),
    task_s=7 * 60,
)
