"""The frozen record every declared thing is made of."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from schleier.core.errors import Problem, RecipeError, SchemaError, SchleierError

if TYPE_CHECKING:
    from pydantic.fields import FieldInfo

R = TypeVar("R", bound=BaseModel)


class Frozen(BaseModel):
    """Immutable, refuses unknown fields; the docstring below a field is its documentation (see ``fields_of``)."""

    # Deferred: of many records that are declared a program makes few, and each costs a millisecond to prepare.
    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True)


if TYPE_CHECKING:  # for tools, the signature of a record stays that of its fields
    from pydantic._internal._model_construction import ModelMetaclass as _Explained
else:

    class _Explained(type(BaseModel)):
        """Makes records: what is wrong with the parameters of one that is made in Python is told in our words.

        Not in ``__init__``: pydantic would call that for every record inside another, and stop at the first wrong one.
        """

        def __call__(cls, *args: Any, **parameters: Any) -> Any:
            if args:
                first = next((name for name, field in cls.model_fields.items() if field.is_required()), "name")
                hint = f"for example {cls.__name__}({first}=...)"
                raise cls.refusal(Problem("bad-parameter", cls.__name__, "parameters are given by name", hint))
            try:
                return super().__call__(**parameters)
            except ValidationError as error:
                found = error
            raise _refused(cls, found)


class Declared(Frozen, metaclass=_Explained):
    """A record that people write, in a recipe or in Python: what is wrong with it is told all at once.

    Its numbers are numbers, for nothing is above, below or near "nan".

    >>> class Limit(Declared):
    ...     upper: float
    >>> Limit(uper=3)
    Traceback (most recent call last):
    schleier.core.errors.RecipeError: Limit.uper: there is no such parameter (did you mean 'upper'?)
    """

    model_config = ConfigDict(allow_inf_nan=False)

    refusal: ClassVar[type[SchleierError]] = RecipeError
    """What is raised where it is wrong."""

    if not TYPE_CHECKING:

        @classmethod
        def model_validate(cls, obj: Any, **options: Any) -> Any:
            """A record from plain values; what is wrong with them is told in our words."""
            try:
                return super().model_validate(obj, **options)
            except ValidationError as error:
                found = error
            raise _refused(cls, found)

        def __setattr__(self, name: str, value: Any) -> NoReturn:
            message, hint = "nothing of it is changed once it is made", "make a new one"
            raise self.refusal(Problem("bad-parameter", f"{type(self).__name__}.{name}", message, hint))


def _refused(record: type[Declared], error: ValidationError) -> SchleierError:
    from schleier.core.validation import explain_validation

    return record.refusal(explain_validation(error, record, record.__name__))


def unexplained(record: type[R], values: Mapping[str, Any]) -> R:
    """A record from plain values; pydantic says what is wrong, to somebody who knows where they stand."""
    made: R = BaseModel.model_validate.__func__(record, values)  # type: ignore[attr-defined]
    return made


class Described(Declared):
    """A record of a schema."""

    refusal: ClassVar[type[SchleierError]] = SchemaError


def fields_of(record: type[BaseModel]) -> dict[str, FieldInfo]:
    """The fields of a record, each described by the docstring below it.

    Pydantic could do that for every record as it is declared; reading all that source takes a fifth of the time
    of a short command, and only help and documentation want to know.

    >>> class Point(Frozen):
    ...     x: float = 0.0
    >>> fields_of(Point)["x"].default
    0.0
    """
    for name, field in record.model_fields.items():
        if field.description is None:
            field.description = _text(record, name)
    return record.model_fields


def _text(record: type[BaseModel], name: str) -> str | None:
    """What is written below a field, where the record has it from: itself, else the first parent that has it."""
    parents = (one for one in record.__bases__ if issubclass(one, BaseModel) and name in one.model_fields)
    parent = next(parents, None)
    return texts_below(record).get(name) or (_text(parent, name) if parent else None)


@functools.cache
def texts_below(declared: type[object]) -> dict[str, str]:
    """The docstrings below the fields that a class itself declares; none where there is no source."""
    import ast
    import inspect
    import textwrap

    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(declared))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    return {
        line.target.id: inspect.cleandoc(below.value.value)
        for line, below in itertools.pairwise(body)
        if isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant) and isinstance(below.value.value, str)
    }
