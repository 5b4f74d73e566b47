"""An attack: a technique of an adversary, tried out through the trustee."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import Field

from schleier.core.component import listed
from schleier.core.errors import DataError, Problem
from schleier.core.measure import Case, Finding
from schleier.core.schema import Schema
from schleier.core.trust.aim import Technique
from schleier.core.trust.answer import Answer, Claims
from schleier.core.trust.trustee import Trustee, knowable, trustee_of

if TYPE_CHECKING:
    import narwhals as nw

    from schleier.core.data import Dataset
    from schleier.core.run import Run
    from schleier.kernels.statistics.trials import Trials


class Attack(Technique):
    """Claims about targets, judged by the trustee, compared with blind guessing and with a control."""

    known: tuple[str, ...] = ()
    """Columns the attacker knows about a target; all quasi-identifiers when empty."""
    targets: Annotated[int, Field(ge=1)] | Literal["all"] = 1000
    """How many persons the attacker looks for, or "all" that there are."""
    knowledge: Literal["exact", "file"] = "exact"
    """Whether he knows the true values of persons who took part (exact), or holds the file ``[data] known``."""

    def keys(self, schema: Schema) -> tuple[str, ...]:
        """What the attacker knows."""
        return self.known or schema.quasi

    def uses(self, schema: Schema) -> tuple[str, ...]:
        """The known columns."""
        return self.keys(schema)

    def problems(self, schema: Schema) -> Iterator[Problem]:
        """The known columns must be in the release."""
        yield from super().problems(schema)
        if not self.keys(schema):
            hint = 'give columns the role "quasi", or name the known ones'
            yield Problem("no-keys", "known", "the attacker knows nothing", hint)

    @abstractmethod
    def claim(
        self, released: Dataset, known: Dataset, columns: tuple[str, ...], run: Run
    ) -> nw.LazyFrame[Any] | Claims:
        """What the attacker asserts, by the columns both sides have.

        Pairs of target and alias that are the same person; an attack on values asserts target and value instead, and
        has a ``measure`` of its own.
        """

    def measure(self, case: Case, run: Run) -> Finding:
        """Run the experiment, and again on people who are not in the release when there are some."""
        return self.told(*self._try(case, run), case, run)

    def told(self, answer: Answer, beside: dict[str, Any], case: Case, run: Run) -> Finding:
        """What an answer of the trustee comes to, for the holder, against guessing and the control."""
        outsiders = self.control(case)
        control: dict[str, Any] = {"control_claims": None}
        if outsiders is not None:
            tried, _ = outsiders[0]._try(outsiders[1], run)
            control = {"control_claims": tried.claims / max(tried.targets, 1), "control_targets": tried.targets}
        detail = {
            "targets": answer.targets,
            "contained": answer.contained,
            "claims": answer.claims,
            "correct": answer.correct,
            "false_share": 1 - answer.right.share if answer.claims else 0.0,
            "baseline": answer.guess,
            "records": answer.records,
            **_cost_of_a_link(answer),
            **control,
            **beside,
        }
        return self.found(case, answer.found, self._text(answer), detail)

    def found(self, case: Case, right: Trials, text: str, detail: Mapping[str, Any]) -> Finding:
        """A finding about so many trials, with what the attacker knew."""
        low, high = right.interval()
        knew = {"known": list(self.columns(case)), "knowledge": self.knowledge}
        return Finding(
            name=self.word(),
            value=right.share,
            low=low,
            high=high,
            better=self.better,
            text=text,
            detail={**knew, **detail},
        )

    def control(self, case: Case) -> tuple[Self, Case] | None:
        """The same attack on people who are not in the release; nothing when there are none."""
        if case.control is None or self.knowledge == "file":
            return None
        targets = "all" if self.targets == "all" else min(self.targets, case.control.rows)
        return self.model_copy(update={"targets": targets}), Case(case.control, case.released, steps=case.steps)

    def trustee(self, case: Case, run: Run, **more: Any) -> Trustee:
        """The one who knows the truth, with the targets drawn."""
        targets = None if self.targets == "all" else self.targets
        return trustee_of(case, self.columns(case), targets, run, from_file=self.knowledge == "file", **more)

    def columns(self, case: Case) -> tuple[str, ...]:
        """The known columns; of a file only those it has, unless a missing one was asked for by name."""
        columns = self.keys(case.released.schema)
        if self.knowledge == "exact" or case.known is None:
            if not (known := knowable(case, columns)):
                hint = 'give columns the role "quasi", or name the known ones'
                raise DataError(Problem("no-keys", "known", "the attacker knows nothing", hint))
            return known
        absent = [name for name in columns if name not in case.known.schema]
        if self.known and absent:
            message = f"the file of known persons has no column {listed(absent)}"
            raise DataError(Problem("unknown-column", "known", message))
        return tuple(name for name in columns if name not in absent)

    def refuse_strangers(self, contained: int, case: Case) -> None:
        """A file about other people is no knowledge; that it is would tell whoever brings it who took part."""
        if self.knowledge == "file" and contained == 0 and not case.silent:
            message = "the file of known persons and the release have nobody in common"
            raise DataError(Problem("no-overlap", "data.known", message, "check the table of who is who"))

    def tried(self, trustee: Trustee, case: Case, run: Run) -> tuple[Answer, dict[str, Any]]:
        """What the trustee tells of the claims, and further numbers that stay with the holder."""
        claims = self.claim(trustee.released, trustee.known, self.columns(case), run)
        claims = claims if isinstance(claims, Claims) else Claims(claims)
        return trustee.answer(claims.pairs), dict(claims.facts)

    @classmethod
    def judged_by_pairs(cls) -> bool:
        """Whether who is who is all the trustee must know: records are claimed, and nothing of what stands in them."""
        return cls.measure is Attack.measure

    def unjudged(self, case: Case, run: Run) -> tuple[int, int]:
        """Persons looked for and claims made, where nobody can tell right from wrong."""
        import narwhals as nw

        trustee = self.trustee(case, run)
        if self.judged_by_pairs():
            answer, _ = self.tried(trustee, case, run)
            return answer.targets, answer.claims
        claims = self.claim(trustee.released, trustee.known, self.columns(case), run)
        frame = claims.pairs if isinstance(claims, Claims) else claims
        made = trustee.released.engine.arrays(frame.select(n=nw.len()))["n"][0].as_py()
        return trustee.known.rows, int(made)

    def _try(self, case: Case, run: Run) -> tuple[Answer, dict[str, Any]]:
        answer, beside = self.tried(self.trustee(case, run), case, run)
        self.refuse_strangers(answer.contained, case)
        return answer, beside

    def _text(self, answer: Answer) -> str:
        low, high = answer.found.interval()
        return (
            f"Of {answer.targets} persons looked for, {answer.correct} were found ({answer.found.share:.2%}, "
            f"95 % interval {low:.2%} to {high:.2%}) by {answer.claims} claims; "
            f"blind guessing finds {answer.guess:.4%}."
        )


def _cost_of_a_link(answer: Answer) -> dict[str, float | None]:
    """For one right link, persons to look for and wrong links on the way; nothing when none was right."""
    from schleier.kernels.population.composition import trials_needed

    if not answer.correct:
        return {"tries_needed": None, "wrong_on_the_way": None}
    found = trials_needed(1, answer.targets, answer.correct, answer.claims - answer.correct)
    return {"tries_needed": found.tries, "wrong_on_the_way": found.false}
