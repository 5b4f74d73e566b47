"""Pictures are sound SVG, say their numbers, and never lie about small ones."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from markupsafe import Markup

from schleier.report import pictures
from schleier.report.pictures import Bar, Estimate

HOSTILE = "<b>&\"'"
LEGEND = pictures.Legend("Key", ("before", "after"))
SVG = "{http://www.w3.org/2000/svg}"


def parsed(picture: Markup) -> ElementTree.Element:
    return ElementTree.fromstring(picture)


def texts(picture: Markup) -> list[str]:
    return [text.text or "" for text in parsed(picture).iter("text")]


def widths(picture: Markup, kind: str) -> list[float]:
    return [float(r.get("width") or 0) for r in parsed(picture).iter("rect") if r.get("class") == f"f-{kind}"]


def data_widths(picture: Markup, kind: str) -> list[float]:
    """Without the samples of the legend."""
    return widths(without_legend(picture), kind)


def without_legend(picture: Markup) -> Markup:
    root = parsed(picture)
    for legend in [one for one in root.iter("g") if one.get("class") == "legend"]:
        root.remove(legend)
    return Markup(ElementTree.tostring(root, encoding="unicode"))


@pytest.mark.parametrize(
    "picture",
    [
        pictures.bars([Bar("a", 0.0, "0 %", 0.0, "0 %")], "Title", "Words", LEGEND),
        pictures.hundred({"alarm": 0.0, "rest": 1.0}, {"alarm": "x\n0 %", "rest": "y\n100 %"}, "Key", "Title", "Words"),
        pictures.estimates([Estimate("x", 0, 0, 0, "0 %", "0 %")], "T", "W", [(1.0, "1")], LEGEND),
    ],
)
def test_a_legend_stands_in_a_frame_of_its_own_under_its_title(picture: Markup) -> None:
    """Where there is nothing to see, no sample of a mark may be taken for something."""
    (legend,) = [one for one in parsed(picture).iter("g") if one.get("class") == "legend"]
    frame = next(legend.iter("rect"))
    left, top = float(frame.get("x") or 0), float(frame.get("y") or 0)
    right, bottom = left + float(frame.get("width") or 0), top + float(frame.get("height") or 0)
    assert frame.get("fill") == "none" and next(text.text for text in legend.iter("text")) == "Key"
    rest = parsed(without_legend(picture))
    for shape in (*rest.iter("rect"), *rest.iter("circle"), *rest.iter("text")):
        x, y = (float(shape.get(key) or shape.get(f"c{key}") or 0) for key in ("x", "y"))
        assert not (left <= x <= right and top <= y <= bottom), "data inside the frame of the legend"
    shown = {shape.get("class") for shape in (*rest.iter("rect"), *rest.iter("circle")) if shape.get("width") != "0"}
    assert shown <= {"f-rest", "f-alarm"} and ("f-alarm" not in shown or list(rest.iter("circle")))


def test_bars_are_as_long_as_their_numbers() -> None:
    rows = [Bar("a", 0.5, "50 %", 1.0, "100 %"), Bar("b", 0.0, "0 %", 0.25, "25 %"), Bar("c", 1e-9, "tiny", 0, "0 %")]
    picture = pictures.bars(rows, "Title", "Words", LEGEND)
    before, after = data_widths(picture, "before"), data_widths(picture, "after")
    assert before[1] == pytest.approx(before[0] / 4)
    assert after[0] == pytest.approx(before[0] / 2)
    assert (after[1], after[2]) == (0, 1.5)  # nothing is nothing, little is seen
    assert texts(picture) == ["a", "100 %", "50 %", "b", "25 %", "0 %", "c", "0 %", "tiny", "Key", "before", "after"]


def test_bars_without_before_and_with_labels_beside() -> None:
    picture = pictures.bars([Bar("1", 0.5, "50 %")], "Title", "Words", aside=50)
    assert widths(picture, "before") == []
    assert texts(picture) == ["1", "50 %"]
    assert parsed(pictures.bars([], "Title", "Words")).tag == "svg"


@pytest.mark.parametrize(
    ("shares", "counts"),
    [((0.106, 0.06, 0.834), [11, 6, 83]), ((0.0, 0.0, 1.0), [0, 0, 100]), ((1.0, 0.0, 0.0), [100, 0, 0])],
)
def test_a_hundred_squares(shares: tuple[float, ...], counts: list[int]) -> None:
    kinds = ("alarm", "alert", "rest")
    legend = dict.fromkeys(kinds, "word\n1 %")
    picture = pictures.hundred(dict(zip(kinds, shares, strict=True)), legend, "Key", "Title", "Words")
    assert [len(widths(picture, kind)) for kind in kinds] == counts  # the legend has no squares


def test_estimates_keep_their_order_from_left_to_right() -> None:
    row = Estimate("x", low=0.1, high=0.9, guess=0.3, found_text="10 % to 90 %", guess_text="30 %")
    picture = pictures.estimates([row], "Title", "Words", [(0.0, "0"), (0.5, "half"), (1.0, "1")], LEGEND)
    ends = next(line for line in parsed(picture).iter("line") if line.get("class") == "l-alarm")
    guess = float((next(parsed(without_legend(picture)).iter("polygon")).get("points") or "").split(",")[0])
    assert float(ends.get("x1") or 0) < guess < float(ends.get("x2") or 0) < pictures.WIDTH
    assert {"10 % to 90 %", "30 %", "half"} <= set(texts(picture))
    unknown = replace(row, guess=None, guess_text="")
    picture = pictures.estimates([unknown], "Title", "Words", [(1.0, "1")], LEGEND)
    assert not list(parsed(picture).iter("polygon")) and "after" not in texts(picture)


def test_a_distribution_shows_how_far_it_is_from_the_original() -> None:
    points = {0.05: (0.0, 0.0), 0.25: (10.0, 5.0), 0.5: (20.0, 10.0), 0.75: (30.0, 0.0), 0.95: (100.0, 0.0)}
    picture = pictures.spread(points, 25.0, ("release", "original"), ("0", "100"), "T", "W")
    bars = widths(picture, "gap")
    assert bars[2] == pytest.approx(2 * bars[1], abs=0.02)
    assert bars[0] == bars[3] == bars[4] == 5  # no distance is a dot
    assert widths(picture, "after") == [pytest.approx(bars[2], abs=0.02)]
    assert texts(picture) == ["release", "original", "0", "100"]
    assert parsed(pictures.spread({0.5: (1.0, 0.0)}, None, ("r", "o"), ("1", "1"), "T", "W")).tag == "svg"


def test_the_matrix_marks_the_place() -> None:
    legend = pictures.Legend("Key", ("least", "most"))
    picture = pictures.matrix(["high", "low"], ["few", "all"], (0, 1), ("harm", "who"), legend, "T", "W")
    mark = next(parsed(picture).iter("circle"))
    assert float(mark.get("cx") or 0) > pictures.WIDTH / 2 and float(mark.get("cy") or 0) < 60
    assert [len(widths(picture, f"heat{i}")) for i in range(3)] == [2, 2, 2]  # the ends are in the legend, too
    assert texts(picture)[-3:] == ["Key", "least", "most"]


def test_whatever_a_picture_is_given_is_escaped() -> None:
    bars = [Bar(HOSTILE, 1, HOSTILE, 1, HOSTILE)]
    estimate = Estimate(HOSTILE, 1, 1, 1, HOSTILE, HOSTILE)
    kinds = {"alarm": 1.0}
    quantiles = {0.5: (1.0, 0.0)}
    legend = pictures.Legend(HOSTILE, (HOSTILE, HOSTILE))
    drawn = [
        pictures.bars(bars, HOSTILE, HOSTILE, legend),
        pictures.hundred(kinds, {"alarm": f"{HOSTILE}\n{HOSTILE}"}, HOSTILE, HOSTILE, HOSTILE),
        pictures.estimates([estimate], HOSTILE, HOSTILE, [(1, HOSTILE)], legend),
        pictures.spread(quantiles, 1.0, (HOSTILE, HOSTILE), (HOSTILE, HOSTILE), HOSTILE, HOSTILE),
        pictures.matrix([HOSTILE], [HOSTILE], (0, 0), (HOSTILE, HOSTILE), legend, HOSTILE, HOSTILE),
    ]
    for picture in drawn:
        assert not list(parsed(picture).iter("b"))
        assert HOSTILE in texts(picture) and "<b>" not in picture
        assert not re.search(r"\b(nan|inf)\b", picture)
