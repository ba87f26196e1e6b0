"""Any form, real or random, is obeyed or refused, and every act stays within the world."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from builder.acting.acts import MOST_CHANGES, Act, Ask, CannotDo, Edit, Go, Say, Show
from builder.mind import Mind
from lib.logical_form import Form
from lib.logical_form.validate import faults_of
from tests.support.builder_worlds import acting, command, cube, scene
from tests.support.forms import action, span, times
from tests.support.shared_data import Formed, form_of, needs_real_pairs, real_pairs

RESUME = command(action("RESUME"))
MOST_ACTS = 20_000


def check(mind: Mind, form: Form, words: list[str]) -> None:
    """Obey it: it acts within the world, or says that it cannot."""
    acts = mind.obey(form, words)
    sent: int | None = None
    try:
        for _ in range(MOST_ACTS):
            act = acts.send(sent)
            sent = 0 if isinstance(act, Ask) else None
            assert_within(mind, act)
    except StopIteration:
        return
    except CannotDo as refusal:
        sentence = str(refusal)
    else:
        pytest.fail("It never ends.")
    assert sentence.endswith(".")


def assert_within(mind: Mind, act: Act) -> None:
    if isinstance(act, Go):
        assert mind.world.inside(mind.world.agent_cell)
        assert -90 <= act.pose.pitch <= 90
        assert -360 <= act.pose.yaw <= 360
    elif isinstance(act, Edit):
        assert 0 < len(act.changes) <= MOST_CHANGES
        assert all(mind.world.inside((x, y, z)) for x, y, z, _ in act.changes)
        assert not {(x, y, z) for x, y, z, block in act.changes if block} & mind.world.figures()
    elif isinstance(act, Show):
        assert all(low <= high for low, high in zip(act.low, act.high, strict=True))
    elif isinstance(act, Say):
        assert 0 < len(act.text) <= 1000


@needs_real_pairs
def test_every_real_form_is_obeyed_or_refused_within_the_world() -> None:
    forms = [(pair.text, form) for pair in real_pairs() if (form := form_of(Formed(pair.text, pair.form)))]
    assert len(forms) > 300
    mind = Mind(scene())
    for number, (text, form) in enumerate(forms):
        if number % 10 == 0:
            mind = Mind(scene(*cube(5, 12), *cube(13, 12, 3)))
        check(mind, form, text.split())


WORDS = ["build", "dig", "the", "two", "red", "big", "cube", "hole", "house"]
WORDS += ["me", "there", "stone", "left", "5", "everything", "it"]
SPANS = st.integers(0, len(WORDS) - 1).map(span)
WHO = st.sampled_from(["SPEAKER", "AGENT", "SPEAKER_LOOK"])
DIRECTIONS = st.sampled_from(["LEFT", "RIGHT", "UP", "DOWN", "FRONT", "BACK", "NEAR", "INSIDE", "AROUND", "AWAY"])
PROPERTIES = st.sampled_from(
    ["has_name", "has_colour", "has_size", "has_block_type", "has_tag", "has_height", "has_width", "has_depth"]
)
CLAUSES = st.lists(st.fixed_dictionaries({"pred_text": PROPERTIES, "obj_text": SPANS}), min_size=1, max_size=3)


def some(**parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Form]:
    """Any of these keys, one at least: an empty object is no form."""
    return st.fixed_dictionaries({}, optional=parts).filter(bool)


SELECTORS = some(return_quantity=st.sampled_from(["ALL", "RANDOM"]), ordinal=SPANS)
FILTERS = some(
    where_clause=st.fixed_dictionaries({"AND": CLAUSES}), contains_coreference=st.just("yes"), selector=SELECTORS
)
THINGS = st.one_of(
    st.fixed_dictionaries({"filters": FILTERS}),
    st.fixed_dictionaries({"special_reference": st.fixed_dictionaries({"fixed_value": WHO})}),
)
PLACES = some(reference_object=THINGS, relative_direction=DIRECTIONS, steps=SPANS)
CONDITIONS = st.one_of(
    SPANS.map(lambda one: times(one[1][0])),
    st.just({"condition_type": "NEVER"}),
    SPANS.map(lambda one: {"condition_type": "ADJACENT_TO_BLOCK_TYPE", "block_type": one}),
)
FACINGS = some(
    relative_yaw=st.sampled_from(["-90", "45", "360"]).map(lambda one: {"fixed_value": one}),
    relative_pitch=st.sampled_from(["-90", "45"]).map(lambda one: {"fixed_value": one}),
    location=PLACES,
    yaw_pitch=SPANS,
)
SCHEMATICS = st.fixed_dictionaries({"filters": FILTERS})
ENDS = st.one_of(st.fixed_dictionaries({"reference_object": THINGS}), st.fixed_dictionaries({"location": PLACES}))
KEYS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "BUILD": {
        "schematic": SCHEMATICS,
        "location": PLACES,
        "reference_object": THINGS,
        "terminate_condition": CONDITIONS,
    },
    "MOVE": {"location": PLACES, "terminate_condition": CONDITIONS},
    "DESTROY": {"reference_object": THINGS},
    "DANCE": {
        "location": PLACES,
        "dance_type": some(point=FACINGS, look_turn=FACINGS, body_turn=FACINGS, filters=FILTERS),
    },
    "DIG": {"schematic": SCHEMATICS, "location": PLACES, "reference_object": THINGS},
    "FILL": {"schematic": SCHEMATICS, "reference_object": THINGS},
    "GET": {"reference_object": THINGS, "receiver": ENDS},
    "SPAWN": {"reference_object": THINGS, "location": PLACES},
    "FREEBUILD": {"reference_object": THINGS},
    "SCOUT": {"reference_object": THINGS},
    "STOP": {"target_action_type": SPANS},
    "RESUME": {"target_action_type": SPANS},
    "UNDO": {"target_action_type": SPANS},
}
ACTIONS = st.sampled_from(sorted(KEYS)).flatmap(
    lambda kind: st.fixed_dictionaries({"action_type": st.just(kind)}, optional=KEYS[kind])
)
FORMS = st.fixed_dictionaries(
    {"dialogue_type": st.just("HUMAN_GIVE_COMMAND"), "event_sequence": st.lists(ACTIONS, min_size=1, max_size=3)},
    optional={"terminate_condition": SPANS.map(lambda one: times(one[1][0]))},
)


@given(forms=st.lists(FORMS, min_size=1, max_size=3), stop_after=st.integers(0, 30))
def test_any_form_is_obeyed_or_refused_within_the_world(forms: list[Form], stop_after: int) -> None:
    mind = Mind(scene(*cube(3, 7), size=(11, 9, 11), agent=(1, 1), player=(6, 3)))
    for form in forms:
        assert not faults_of(form, words=len(WORDS))
        check(mind, form, WORDS)
    with suppress(CannotDo):
        for number, act in enumerate(acting(mind, forms[0], " ".join(WORDS), answers=[0] * 1000)):
            assert_within(mind, act)
            if number == stop_after:
                break
    check(mind, RESUME, WORDS)
