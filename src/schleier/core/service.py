"""A service is a protocol between several parties, each in a role; how messages travel is not its business."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar, Protocol

from schleier.core.component import Component


class Transport(Protocol):
    """Carries messages between roles: in memory for a test, over a network by an adapter."""

    def send(self, role: str, message: bytes) -> None:
        """Hand a message to whoever plays a role."""

    def receive(self) -> tuple[str, bytes]:
        """The next message and the role it comes from; waits for one."""


class Service(Component):
    """A protocol with roles. Every party runs the same component and plays its part."""

    roles: ClassVar[tuple[str, ...]] = ()
    """Who takes part."""

    @abstractmethod
    def play(self, role: str, transport: Transport) -> None:
        """Play one role to its end."""
