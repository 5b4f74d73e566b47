"""Releases made without some of the targets: what is learned of them there is not learned from their own records."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from schleier.core.data import tally
from schleier.core.errors import SchleierError
from schleier.kernels.statistics.trials import Gain

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.engine import Engine
    from schleier.core.measure import Case
    from schleier.core.run import Run

AT_ONCE = 20
"""One of so many records at most is left out at once: classes stay as large as they are, nearly."""
TURNS = 4
"""So many releases are made at most."""


def at_most(records: int, asked: int) -> tuple[int, int]:
    """How many persons are left out at once, and in how many turns.

    >>> at_most(100_000, 200), at_most(1000, 200), at_most(60, 200), at_most(10, 200)
    ((200, 1), (50, 4), (3, 4), (0, 0))
    """
    once = min(asked, records // AT_ONCE)
    return once, min(TURNS, -(-asked // once)) if once else 0


def made_without(case: Case, truth: nw.LazyFrame[Any], run: Run, *, keyed: bool = False) -> Dataset | None:
    """The release as it would be without the persons with some row keys (``_truth_``); with its row key if ``keyed``.

    The fitted steps are taken once more, with the same draws for all others. Where there are none, or where the release
    cannot be had with fewer rows, only their records are left out, or nothing can be told.
    """
    import narwhals as nw

    from schleier.core.run import Run as Fresh
    from schleier.core.trust.trustee import ALIAS

    if not case.steps:
        data = _without(case.released, truth)
    else:
        data, silent = _without(case.original, truth), Fresh(run.key, run.criteria)
        try:
            for place, step in enumerate(case.steps):
                with silent.within(step.label(data.schema)):
                    data = step.apply(data, silent).settled(place + 1)
        except SchleierError:
            return None
    if not keyed:  # whoever attacks it sees aliases in the place of row keys
        with run.within(f"{run.step} left out"):
            data = run.draw(data, ALIAS, "alias")
    names = (data.schema.key if keyed else ALIAS, *case.released.schema.names)
    return replace(data, frame=data.engine.keep(data.frame.select(*(nw.col(name) for name in names))))


def _without(data: Dataset, truth: nw.LazyFrame[Any]) -> Dataset:
    import narwhals as nw

    kept = data.frame.with_columns(_truth_=nw.col(data.schema.key).cast(nw.String))
    return replace(data, frame=kept.join(truth.select("_truth_"), on="_truth_", how="anti").drop("_truth_"))


def turns(case: Case, targets: nw.LazyFrame[Any], asked: int, run: Run) -> Iterator[tuple[nw.LazyFrame[Any], Dataset]]:
    """In turn some targets, and the release without them; ``targets`` come with their row keys."""
    from schleier.core.engine import Source
    from schleier.core.trust.trustee import TARGET

    engine = case.released.engine
    once, many = at_most(case.released.rows, asked)
    if not many:
        return
    first = engine.arrays(targets.select(TARGET, "_truth_").sort(TARGET).head(min(once * many, asked)))
    first = first.sort_by(TARGET)
    for start in range(0, len(first), once):
        some = engine.read(Source(first.slice(start, once)))
        if (data := made_without(case, some, run)) is not None:
            yield some.select(TARGET), data


def without_some(case: Case, asked: int, run: Run) -> Iterator[Dataset]:
    """The release as it would be without so many persons drawn at random, with its row key; none of too few records."""
    from schleier.core.trust.trustee import draw_targets

    once = min(asked, case.released.rows // AT_ONCE)
    if once:
        import narwhals as nw

        chosen = draw_targets(case.original, once, run)
        truth = chosen.frame.select(_truth_=nw.col(chosen.schema.key).cast(nw.String))
        if (data := made_without(case, truth, run, keyed=True)) is not None:
            yield data


def compared(
    known: nw.LazyFrame[Any],
    claims: nw.LazyFrame[Any],
    others: nw.LazyFrame[Any],
    guess: Any,
    within: float | None,
    engine: Engine,
) -> Gain:
    """Counts for two sets of claims about targets with their values; where the second has none, the guess counts."""
    import narwhals as nw

    from schleier.core.trust.trustee import CLAIM, TARGET, VALUE

    second = others.select(TARGET, _other_=nw.col(CLAIM))
    known = known.filter(~nw.col(VALUE).is_null()).join(claims.select(TARGET, CLAIM), on=TARGET, how="inner")
    other = nw.col("_other_") if guess is None else nw.coalesce(nw.col("_other_"), nw.lit(guess))
    one, two = is_right(nw.col(CLAIM), within), is_right(other, within) & ~other.is_null()
    counts = {"both": one & two, "gained": one & ~two, "lost": ~one & two, "neither": ~one & ~two}
    both = known.join(second, on=TARGET, how="left")
    found = engine.arrays(both.select(**{name: tally(which) for name, which in counts.items()}))
    return Gain(**{name: int(found[name][0].as_py() or 0) for name in counts})


def is_right(claimed: nw.Expr, within: float | None) -> nw.Expr:
    """Whether claims are right: text when it is equal, a number when it is off by at most a share of the true one."""
    import narwhals as nw

    from schleier.core.trust.trustee import VALUE

    true = nw.col(VALUE)
    return claimed == true if within is None else (claimed - true).abs() <= true.abs() * within
