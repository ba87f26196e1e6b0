"""The projects `scenes` and `scenes-names`, where workers mark and name objects in scenes, and a quiz of four scenes.

The scenes are generated from a seed, so that the right answers are known. Simulated workers, good and bad, have marked
a part of them. Objects that are named in the second project become tasks of the first.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta

from annotation.models import Project
from annotation.quality import worker_records
from annotation.tool_registry import Json
from annotation.work.posting import ReferenceBody, TaskBody, post_tasks
from demo import scene_quiz
from demo.crowds.scene_markers import CAREFUL, HASTY, LOST, Kind, SceneMarker
from demo.projects import answer_in_turns, put_demo_project, put_demo_quiz
from lib.voxels.generator import Generated, generate
from lib.voxels.generator_options import Options
from workforce.questions import Question

PROJECT, NAMES = "scenes", "scenes-names"
QUIZ = "scenes-quiz"
SEED = 5
BEGAN = timedelta(hours=5)
SCENES, DONE, REFERENCES, TO_NAME = 22, 10, 5, 4
"""Numbers of scenes: in all, marked by the crowd, references, and scenes to name."""
NEGATIVES = 0.2
CROWD: Mapping[str, Kind] = {"eda": CAREFUL, "fay": CAREFUL, "gus": HASTY, "hal": LOST}
AGENT = Kind(misses=0.2, spills=0.2, overlooks=0.3, invents=0.5, seconds=(1.0, 1.0))
"""The quality of the masks of the agent that would learn from these answers."""
INSTRUCTIONS = [
    "# What you do here\n\nA robot lives in a world of blocks, and must learn to see what people talk about. You are "
    "shown **a scene and some words**: mark every block of what the words mean, and nothing else.\n\n"
    "On the right you mark; on the left the scene stays as it is. Both turn together.",
    "# How to mark\n\n**Click** a block to mark it; **Box** marks all between two corners, **Same colour** and **Whole "
    "thing** mark what hangs together. Drag to turn the scene, roll the wheel to come closer.\n\n"
    "All of it works with the keyboard too: press **?** to see the keys. **Undo** takes the last step back.",
    "# When it is not there\n\nSometimes the words mean nothing that is in the scene. Then press **It is not there**; "
    "you are paid just the same. Holes and doorways are made of air: switch to **Air** to mark them.",
]
NAMING = [
    "# What you do here\n\nYou see a scene made of blocks. **Name one thing that you can see in it**, in your own "
    "words, so that somebody else finds it: “the blue tower behind the wall”.\n\n"
    "If there is nothing but ground, say that there is nothing."
]


def load(*, at: datetime) -> int:
    """Make the quiz and the projects, and let the crowd mark some scenes up to `at`. Returns the number of answers."""
    put_quiz(at=at)
    began = at - BEGAN
    project = put_demo_project(
        slug=PROJECT,
        tool="voxels",
        title="Mark what the words mean",
        instructions=INSTRUCTIONS,
        redundancy=3,
        reference_rate=0.2,
        pay="0.08",
        settings={"stage": "mark"},
        at=began,
    )
    made = list(generate(SEED, SCENES, Options(negatives=NEGATIVES)))
    bodies = _bodies(made)
    now, later = bodies[: DONE + REFERENCES], bodies[DONE + REFERENCES :]
    post_tasks(project=project, bodies=now, at=began)
    done = _let_crowd_mark(project, {one.keys[0]: one for one in made}, at=at)
    post_tasks(project=project, bodies=later, at=at)
    _put_naming(at=at)
    worker_records.measure_outdated(at=at)
    return done


def put_quiz(*, at: datetime) -> None:
    """The quiz of four scenes, for projects that require a qualification; the demo's projects do not."""
    questions = [
        Question(
            id=one["id"],
            ask=one["ask"],
            kind="task",
            tool="voxels",
            payload={"scene": one["scene"], "phrase": one["phrase"]},
            accept=[one["accept"]],
        )
        for one in scene_quiz.questions()
    ]
    put_demo_quiz(
        slug=QUIZ, title="How to mark what words mean", pages=INSTRUCTIONS, questions=questions, pass_mark=1.0, at=at
    )


def _put_naming(*, at: datetime) -> None:
    names = put_demo_project(
        slug=NAMES,
        tool="voxels",
        title="Name what you see",
        instructions=NAMING,
        redundancy=2,
        reference_rate=0.0,
        pay="0.05",
        settings={"stage": "name", "feeds": PROJECT, "negatives": NEGATIVES},
        at=at,
    )
    scenes = [one.scene for one in generate(SEED, TO_NAME, first=SCENES)]
    bodies = [TaskBody(key=f"scene-{n}", payload={"scene": scene.as_json()}) for n, scene in enumerate(scenes, 1)]
    post_tasks(project=names, bodies=bodies, at=at)


def _bodies(made: list[Generated]) -> list[TaskBody]:
    """One task for each scene, with the agent's mask of the object; some of the first are references."""
    agent = SceneMarker("agent", AGENT, seed=SEED)
    bodies = []
    for number, one in enumerate(made):
        [example] = one.examples
        seen = agent.answers(one.scene.as_json(), _truth(one))
        payload: Json = {"scene": one.scene.as_json(), "phrase": example.phrase, "source": {"kind": "demo"}}
        body = TaskBody(key=one.keys[0], payload=payload | {"agent_mask": seen.get("voxels", [])})
        if number % 3 == 2 and number // 3 < REFERENCES:
            body["reference"] = ReferenceBody(answers=[example.answer], tolerance_s=None)
        bodies.append(body)
    return bodies


def _truth(one: Generated) -> list[list[int]] | None:
    voxels = one.examples[0].voxels
    return None if voxels is None else voxels.tolist()


def _let_crowd_mark(project: Project, made: Mapping[str, Generated], *, at: datetime) -> int:
    return answer_in_turns(
        {name: SceneMarker(name, kind, seed=SEED) for name, kind in CROWD.items()},
        project=project,
        answer=lambda marker, hold, payload: marker.answers(payload["scene"], _truth(made[hold.task.key])),
        seed=SEED,
        began=at - BEGAN,
        at=at,
    )
