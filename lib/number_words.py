"""Numbers with their nouns, for sentences."""


def number_of(n: int, one: str, many: str = "") -> str:
    """The number with the noun that fits it; `many` only where it is not `one` with an s.

    >>> number_of(1, "answer"), number_of(0, "answer"), number_of(2, "person", "people")
    ('1 answer', '0 answers', '2 people')
    """
    return f"{n} {one}" if n == 1 else f"{n} {many or f'{one}s'}"
