"""What a plan of a survey says before anybody is asked: the document that planning makes and the report shows."""

from __future__ import annotations

from typing import Literal

from schleier.core.record import Frozen
from schleier.core.shown import Shown

PLAN_FORMAT = "schleier-plan-1"
Estimator = Literal["fg", "rt", "rr", "orwell"]


class PlannedQuestion(Frozen):
    """A question and how much it tells people apart."""

    name: str
    """What it is called."""
    categories: int
    """Possible answers."""
    used: float
    """Categories used in the mean, A = 2^U."""
    bits: float
    """Entropy U of the answers."""
    ordered: bool
    """Whether only neighbouring categories may be merged."""
    from_file: bool = False
    """Whether its shares come from a joint table or a pilot."""


class Estimated(Frozen):
    """How many persons would be alone, by one way of estimating."""

    estimator: Estimator
    """Degrees of freedom, marginals truncated, marginals rounded, ORWELL coefficient."""
    unique: float | None
    """Expected number of combinations with a single person; nothing where there are too many to go through."""
    rate: float | None
    """Persons that could be identified, in per cent, at most 100."""
    meets: bool | None
    """Whether that is tolerated."""


class Simulated(Frozen):
    """Persons alone in surveys that were simulated; all numbers count persons."""

    repeats: int
    """Simulated surveys."""
    favourable: int
    """The fewest."""
    unfavourable: int
    """The most."""
    mean: float
    """In the mean."""
    mean_low: float
    """Lower end of the 95 % interval of the mean."""
    mean_high: float
    """Upper end of the 95 % interval of the mean."""
    low: float
    """95 % of the surveys have at least so many ..."""
    high: float
    """... and at most so many."""


class Merged(Frozen):
    """A question with fewer categories."""

    question: str
    """The question."""
    groups: tuple[tuple[int, ...], ...]
    """Categories that become one, by their number from 1 on; those that stay alone are left out."""
    labels: tuple[tuple[str, ...], ...] = ()
    """The same by their labels, where the design has labels."""
    left: int
    """Categories that are left."""


class Merges(Frozen):
    """The cheapest merges that meet the target."""

    exact: bool
    """Whether no cheaper ones exist; otherwise they were found step by step."""
    questions: tuple[Merged, ...]
    """The questions that change."""
    lost: float
    """Entropy lost, in bits."""
    lost_share: float
    """The same as a share of the entropy of the design."""
    unique: float
    """ORWELL coefficient afterwards."""
    rate: float
    """Persons that could be identified afterwards, in per cent, by the ORWELL coefficient."""
    simulated: Simulated | None
    """Simulated surveys with the merged categories."""


class Curve(Frozen):
    """Rates in per cent over the number of persons; nothing where it could not be computed."""

    persons: tuple[int, ...]
    """Numbers of persons."""
    fg: tuple[float, ...]
    """Degrees of freedom."""
    rt: tuple[float, ...] = ()
    """Marginals truncated."""
    rr: tuple[float, ...] = ()
    """Marginals rounded."""
    orwell: tuple[float, ...]
    """ORWELL coefficient."""
    repeats: int = 0
    """Simulated surveys behind the last three, which may end before the others: large surveys take too long. Behind the
    planned number of persons are those of the plan itself."""
    favourable: tuple[float, ...] = ()
    """The best simulated survey."""
    mean: tuple[float, ...] = ()
    """Simulated surveys in the mean."""
    unfavourable: tuple[float, ...] = ()
    """The worst simulated survey."""


class EvenAnswers(Frozen):
    """How many persons would be alone if all combinations of answers were equally frequent."""

    expected: float
    """Persons for each combination, lambda = N / cells."""
    share: float
    """Share of the persons who are alone, e^-lambda."""
    unique: float
    """Persons who are alone."""


class Tries(Frozen):
    """How many persons an attacker must look for, by an experiment."""

    wanted: int
    """Right links he wants."""
    tried: int
    """Persons looked for in the experiment."""
    right: int
    """Right links in the experiment."""
    tries: float | None
    """Persons he must look for; nothing where nobody was found."""
    wrong: float | None
    """Wrong links he gets on the way, which he cannot tell from right ones."""
    low: float
    """Lower end of the 95 % interval of the persons he must look for."""
    high: float | None
    """Upper end; nothing where there is none."""


class Differences(Frozen):
    """How often a column differs between two files, by the true pairs that are the same in all columns."""

    pairs: int
    """True pairs."""
    identical: int
    """Those that are the same in all columns."""
    columns: int
    """Columns compared."""
    rate: float
    """The rate which, the same in all columns, leaves so many pairs identical."""
    low: float
    """Lower end of its 95 % interval."""
    high: float
    """Upper end of its 95 % interval."""


class Experiment(Frozen):
    """What follows from an experiment with an attack on a survey like this one."""

    tries: Tries | None = None
    """How many persons to look for."""
    differences: Differences | None = None
    """How often a column differs."""


class Plan(Shown, Frozen):
    """How identifiable the persons of a planned survey would be, and what would change that."""

    format: str = PLAN_FORMAT
    """Version of this document's form."""
    schleier: str
    """Version of Schleier that planned."""
    design: str = ""
    """Name of the design's file."""
    persons: int
    """Persons to be asked."""
    tolerated: float
    """Tolerated rate of identifiable persons, in per cent."""
    questions: tuple[PlannedQuestion, ...]
    """The questions."""
    combinations: int
    """Possible combinations of answers."""
    correlated: bool
    """Whether a joint table or pilot tells how answers go together; all but ``fg`` follow it."""
    independent_orwell: float | None = None
    """Of a correlated design: the ORWELL coefficient if its answers were independent."""
    unseen: float | None = None
    """Of a pilot: share of persons whose combination of answers it does not hold, who are missing in all estimates."""
    estimates: tuple[Estimated, ...]
    """By each way of estimating."""
    even: EvenAnswers | None = None
    """If all combinations of answers were equally frequent: the arithmetic of cells."""
    simulated: Simulated | None
    """Simulated surveys; nothing when they would be too large to simulate."""
    merges: Merges | None
    """The cheapest merges that meet the target; nothing when it is met already, or cannot be met."""
    attainable: bool
    """Whether so many persons can meet the target at all: even without any question one of them is guessed."""
    smallest_fg: int
    """Fewest persons that meet the target unmerged, by the degrees of freedom."""
    smallest_orwell: int
    """Fewest persons that meet the target unmerged, by the ORWELL coefficient."""
    curve: Curve
    """How the rates change with the number of persons."""
    experiment: Experiment | None = None
    """What an experiment tells of attackers, where the design has one."""

    def estimate(self, estimator: Estimator) -> Estimated:
        """What one way of estimating says."""
        return next(one for one in self.estimates if one.estimator == estimator)

    def rate(self, unique: float) -> float:
        """A number of persons of this survey in per cent."""
        return min(100.0, 100 * unique / self.persons)

    @property
    def met(self) -> bool:
        """Whether the target is met by the ORWELL coefficient and by the simulated surveys in the mean."""
        simulated = self.rate(self.simulated.mean) if self.simulated else 0.0
        return bool(self.estimate("orwell").meets) and simulated <= self.tolerated
