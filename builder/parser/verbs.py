"""The kind of action of each verb, and the words around verbs that add nothing. Data only."""

from collections.abc import Mapping

from builder.parser.phrase import word_list

_VERBS: Mapping[str, str] = {
    "BUILD": "build make construct create craft rebuild assemble erect form built bulid biuld put_up set_up build_up",
    "COPY": "copy duplicate replicate clone make_a_copy_of make_copy_of make_copies_of build_a_copy_of "
    "create_a_copy_of "
    "make_another_copy_of copy_paste",
    "DESTROY": "destroy remove delete demolish get_rid_of break tear_down kill smash eliminate knock_down "
    "take_down crush "
    "obliterate blow_up annihilate cut_down chop_down chop wreck clear_out clear take_apart break_down "
    "destroy_down slay "
    "tear demolish_down dismantle explode break_up",
    "DIG": "dig excavate tunnel dig_up dig_out dig_down mine shovel",
    "FILL": "fill fill_up fill_in fill_ups flood refill cover_up",
    "GET": "get bring grab fetch take collect pick_up deliver give hand gather buy carry go_get retrieve pick take_out",
    "PUT": "put place set drop insert put_down",
    "SPAWN": "spawn summon hatch conjure",
    "FREEBUILD": "finish complete finish_up finish_building complete_building finish_off",
    "MOVE": "move go come walk run step travel head approach climb exit leave enter return swim crawl walk_over "
    "proceed "
    "back_up march sneak teleport take_me climb_up wander slide stroll advance "
    "navigate walks "
    "come_back escape lead_me",
    "FOLLOW": "follow chase come_with pursue",
    "SCOUT": "find look_for search_for search scout locate explore go_find seek",
    "DANCE": "dance jump hop twirl wave bow nod crouch crouch_down bow_down squat_down clap squat "
    "jump_up wiggle somersault jump_up_and_down "
    "backflip do_a do_an do_some perform_a perform",
    "TURN": "turn rotate spin turn_your_body spin_around turn_yourself",
    "LOOK": "look face see_to see gaze aim_your_head move_your_head turn_your_head tilt_your_head take_a_look observe "
    "look_at watch stare raise_your_head lower_your_head",
    "POINT": "point point_out point_to point_at point_towards",
    "STOP": "stop halt pause cease freeze quit abort cancel wait hold_on do_n't don't dont do_not",
    "RESUME": "resume continue keep keep_on go_on carry_on restart unpause continue_with",
    "UNDO": "undo revert take_back undo_that reverse",
    "SAY": "say yell shout whisper",
    "OTHER": "topple sing open close click paint throw push pull eat drink sleep sit swing kick cook wash clean "
    "read write "
    "talk shoot attack fight light burn melt hide play use unlock lock plant water harvest feed ride drive wear "
    "fly type "
    "draw color colour comb bury flip sweep mow activate press hit stand lay lay_down focus welcome "
    "post send whistle laugh smile "
    "pour clean_up turn_on turn_off shut hold add tie lift empty sell trade repair fix decorate save stack shake toss "
    "cut drag decrease increase change hug pet cover expand extend dye shave scream breathe scan tell "
    "clap_hands buckle hammer replace relocate catch "
    "release store knit shear scare bend apply remind check hold_on_to",
}
VERBS: Mapping[str, str] = {verb.replace("_", " "): kind for kind, verbs in _VERBS.items() for verb in verbs.split()}
"""The kind of action of each verb. The longest verb at a position counts."""


def _gerund(verb: str) -> str:
    head, _, tail = verb.partition(" ")
    doubled = head in {"dig", "get", "put", "set", "stop", "run", "hop", "nod", "spin", "clap", "drop", "swim", "cut"}
    stem = head + head[-1] if doubled else head[:-1] if head.endswith("e") and not head.endswith("ee") else head
    return f"{stem}ing {tail}".strip()


GERUNDS: Mapping[str, str] = {_gerund(verb): kind for verb, kind in VERBS.items()}
"""The same for gerunds, as in “start building”."""
OTHER_MEANINGS: Mapping[str, tuple[str, str]] = {
    "go on": ("go", "MOVE"),
    "keep on": ("keep", "OTHER"),
    "keep": ("keep", "OTHER"),
}
"""The verb and kind of “go on” and “keep” if no word of `GOING_ON` follows: “go on top of it”, “keep it safe”."""
GOING_ON = (
    GERUNDS.keys()
    | frozenset(word_list("with to doing what where from now until till while then and like straight up at as"))
    | {"it up", "that up", "this up"}
)
"""Words after “go on” and “keep” that name the action to continue."""
BEGINNINGS = frozenset({"start", "begin", "try", "start on", "begin with", "start by", "begin by"})
"""Words before a gerund that only say that the action begins."""
COMMAND_STARTS = frozenset(
    {"build", "destroy", "spawn", "dig", "go", "move", "turn", "undo", "find", "walk", "stop", "jump", "fill", "dance"}
)
"""Verbs that begin a new command even without “and” before them."""
NOT_BEFORE_COMMAND = frozenset(
    word_list(
        "to and then a an the my your his their i you we they it can will not n't n do n't don't please this "
        "that who which "
        "just first last previous next every each no or of in for s could would should must bot robot in of by now"
    )
) | {"do n't"}
JOINTS = frozenset({"and then", "then", "and", "and also", "after that", "and after that", "but", "afterwards", "next"})
"""Words between two commands."""

GREETINGS = frozenset({"hi", "hello", "hey", "hey there", "hi there", "hello there", "greetings", "yo", "good morning"})
COURTESIES = frozenset(
    word_list(
        "please kindly ok okay now so well just bot robot assistant also then and instead first next finally "
        "alright hey hi "
        "hello oh yes yeah yo immediately quickly lets let's ok kindly again"
    )
) | {
    "let us",
    "go ahead and",
    "go on and",
    "dear bot",
    "be so kind as to",
    "thank you",
    "hi there",
    "hey there",
    "hello there",
}
"""Words before a command that add nothing to it."""
REQUESTS = (
    frozenset(
        f"{who} {please}".strip()
        for who in (
            "can you",
            "could you",
            "would you",
            "will you",
            "can u",
            "could u",
            "would you mind",
            "are you able to",
            "would you be able to",
        )
        for please in ("", "please", "go", "help me", "kindly", "now", "just")
    )
    | frozenset(
        f"{who} {verb} {whom} to"
        for who, verb in (
            ("i", "want"),
            ("i", "need"),
            ("i", "would like"),
            ("i'd", "like"),
            ("i", "command"),
            ("i", "order"),
        )
        for whom in ("you", "u")
    )
    | {
        "you need to",
        "you should",
        "you must",
        "you have to",
        "you can",
        "we should",
        "i want to",
        "make sure to",
        "you",
    }
    | {
        "try to",
        "try and",
        "help me to",
        "help me",
        "help",
        "prepare to",
        "proceed to",
        "start to",
        "begin to",
        "need you to",
        "we need to",
        "we have to",
        "please help me",
        "remember to",
        "would you please",
        "please can you",
    }
)
"""Words before a command that make it a request."""
LEADS = frozenset({"go", "come", "go and", "come and", "run and", "go ahead", "go to"})
"""Verbs before another verb: “go dig a hole”."""
ENDINGS = frozenset(
    {
        "please",
        "now",
        "thanks",
        "thank you",
        "for me",
        "for me please",
        "right now",
        "immediately",
        "ok",
        "okay",
        "again",
    }
    | {
        "right away",
        "quickly",
        "bot",
        "robot",
        "assistant",
        "would you",
        "will you",
        "slowly",
        "instead",
        "at once",
        "first",
    }
    | {"too", "as well", "in a row", "next to each other", "side by side", "in a line", "for us", "as soon as possible"}
)
"""Words at the end of a command that add nothing to it."""
