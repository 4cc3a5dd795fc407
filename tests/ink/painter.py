"""A device of MuPDF: what a viewer paints, in the order of painting, with its clip paths."""

from __future__ import annotations

from typing import Any

from pymupdf import mupdf

from tests.ink.outlines import Box, Matrix, Outline, box_of, common, moved, outline_of

EVERYWHERE: Box = (-1e5, -1e5, 1e5, 1e5)
FAINT = 0.06
"""Difference of a colour, of 1, that nobody sees as an edge."""


class Painter(mupdf.FzDevice2):  # type: ignore[misc]
    """Records paths, clip paths, and the fonts and matrices of texts."""

    def __init__(self) -> None:
        super().__init__()
        self.order = -1
        self.clips: list[Box] = [EVERYWHERE]
        self.texts: dict[int, tuple[Box, list[tuple[Any, Matrix]]]] = {}
        self.filled: list[tuple[int, Box, Outline, tuple[float, ...], float]] = []
        self.pictures: list[tuple[int, Box, Outline]] = []
        self.stroked: list[tuple[int, Box, Outline, float]] = []
        for name in [
            "fill_path",
            "stroke_path",
            "fill_text",
            "stroke_text",
            "ignore_text",
            "fill_shade",
            "fill_image",
            "fill_image_mask",
            "clip_path",
            "clip_stroke_path",
            "clip_text",
            "clip_stroke_text",
            "clip_image_mask",
            "end_mask",
            "pop_clip",
        ]:
            getattr(self, f"use_virtual_{name}")()

    def fill_path(
        self, _: Any, path: Any, _odd: int, ctm: Any, space: Any, color: Any, alpha: float, *_p: Any
    ) -> None:
        self.order += 1
        if alpha > 0.05:
            one = self.order, self.clips[-1], outline_of(path, _matrix(ctm)), _rgb(space, color)
            self.filled.append((*one, alpha))

    def stroke_path(
        self, _: Any, path: Any, stroke: Any, ctm: Any, space: Any, color: Any, alpha: float,
        *_p: Any,
    ) -> None:  # fmt: skip
        self.order += 1
        if alpha > 0.05 and min(_rgb(space, color)) < 1 - FAINT:
            wide = stroke.linewidth * abs(ctm.a * ctm.d - ctm.b * ctm.c) ** 0.5
            self.stroked.append((self.order, self.clips[-1], outline_of(path, _matrix(ctm)), wide))

    def fill_text(self, _: Any, text: Any, ctm: Any, *_p: Any) -> None:
        self.order += 1
        spans, span = [], text.head
        while span:
            spans.append((mupdf.ll_fz_keep_font(span.font), _product(span.trm, ctm)))
            span = span.next
        self.texts[self.order] = self.clips[-1], spans

    def stroke_text(self, _: Any, text: Any, _s: Any, ctm: Any, *_p: Any) -> None:
        self.fill_text(_, text, ctm)

    def ignore_text(self, *_: Any) -> None:
        self.order += 1

    fill_shade = fill_image_mask = ignore_text

    def fill_image(self, _: Any, image: Any, ctm: Any, alpha: float, *_p: Any) -> None:
        self.order += 1
        if alpha > 0.95 and image.mask is None:
            box = moved([[(0, 0), (1, 0), (1, 1), (0, 1), (0, 0)]], _matrix(ctm))
            self.pictures.append((self.order, self.clips[-1], box))

    def clip_path(self, _: Any, path: Any, _odd: int, ctm: Any, _s: Any) -> None:
        box = box_of(outline_of(path, _matrix(ctm))) or (0, 0, 0, 0)
        self.clips.append(common(box, self.clips[-1]))

    def clip_stroke_path(self, *_: Any) -> None:
        self.clips.append(self.clips[-1])

    clip_text = clip_stroke_text = clip_image_mask = clip_stroke_path
    end_mask = clip_stroke_path  # what the mask covers ends with `pop_clip`

    def pop_clip(self, _: Any) -> None:
        self.clips.pop()


def _matrix(ctm: Any) -> Matrix:
    return ctm.a, ctm.b, ctm.c, ctm.d, ctm.e, ctm.f


def _product(one: Any, other: Any) -> Matrix:
    return (
        one.a * other.a + one.b * other.c,
        one.a * other.b + one.b * other.d,
        one.c * other.a + one.d * other.c,
        one.c * other.b + one.d * other.d,
        0.0,
        0.0,
    )


def _rgb(space: Any, color: Any) -> tuple[float, ...]:
    """Return a colour as three shares of light; one of an unknown space as grey."""
    count = mupdf.ll_fz_colorspace_n(space) if space is not None else 0
    shares = [mupdf.floats_getitem(color, at) for at in range(count)]
    if count == 1:
        return shares[0], shares[0], shares[0]
    if count == 3:
        return tuple(shares)
    if count == 4:
        return tuple((1 - share) * (1 - shares[3]) for share in shares[:3])
    return 0.5, 0.5, 0.5
