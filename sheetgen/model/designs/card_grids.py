"""Grids of a card: columns of traits, and what is left of a number."""

from __future__ import annotations

from sheetgen.model.shape import Count, Length, rule_model
from sheetgen.model.source import Text


@rule_model
class TraitColumns:
    """Columns with all traits of a group, in a strip as high as the longest column.

    Attributes:
        of: The group.
        under: The group whose traits govern them, and head their lists.
        without: A trait of `under` whose list is left out.
        lists: How many lists a column has; more where there were more than four columns.
        letters: How many letters a line through all columns holds.
        code: How many of them the code and the gap of a column take.
        above: The room above the first list.
        head: The height of a head.
        row: The height of a line.
    """

    of: Text
    under: Text
    lists: Count
    letters: Count
    code: Count
    above: Length
    head: Length
    row: Length
    without: Text | None = None


@rule_model
class TrackGrid:
    """What is left of a number: one less with each row and column.

    Attributes:
        from_: The text that holds the number.
        down: The track that has a row for each box.
        most: How many rows there are at most.
        across: How many columns there are.
        words: The labels of the rows.
        none: The text where nothing is left.
        least: A number of which so much is always left.
    """

    from_: Text
    down: Text
    most: Count
    across: Count
    words: tuple[Text, ...]
    none: Text
    least: Text | None = None
