"""Invented persons need names: common German ones, drawn with a few very frequent and many rare."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schleier.world.stream import Stream, pick

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

WOMEN = (
    "Anna Maria Sabine Petra Monika Claudia Susanne Andrea Julia Katharina Laura Lena Sarah Lisa Ursula Karin "
    "Helga Renate Birgit Martina Stefanie Nicole Christine Angelika Heike Gisela Ingrid Kerstin Barbara "
    "Brigitte Elke Ute Emma Mia Hannah Sophie Lea Marie Leonie Johanna Clara Frieda Ayşe Fatma Olga Irina "
    "Natalia Agnieszka Giulia Elena Thea Wilhelmine"
).split()
MEN = (
    "Peter Michael Thomas Andreas Wolfgang Klaus Jürgen Günter Stefan Christian Uwe Werner Horst Frank Dieter "
    "Manfred Gerhard Hans Bernd Torsten Matthias Helmut Walter Heinz Martin Jörg Rolf Jens Alexander Daniel "
    "Paul Leon Finn Jonas Ben Elias Felix Maximilian Lukas Noah Emil Anton Mehmet Ali Ivan Dmitri Tomasz Luca "
    "Marco Kostas Balthasar Friedemann"
).split()
FAMILIES = (
    "Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter "
    "Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Schmitt Werner Schmitz "
    "Krause Meier Lehmann Schmid Schulze Maier Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Peters "
    "Lang Scholz Möller Weiß Jung Hahn Schubert Vogel Friedrich Keller Günther Frank Berger Winkler Roth Beck "
    "Lorenz Baumann Franke Albrecht Schuster Simon Ludwig Böhm Winter Kraus Martin Schumacher Krämer Vogt "
    "Stein Jäger Otto Sommer Groß Seidel Heinrich Brandt Haas Schreiber Graf Dietrich Ziegler Kuhn Kühn Pohl "
    "Engel Horn Busch Bergmann Thomas Voigt Sauer Arnold Wolff Pfeiffer Yılmaz Nowak Rossi Papadopoulos Nguyen "
    "Schimmelpfennig Krautwurst Hinterhuber Osterkamp Petersen Jansen Oltmanns Kowalski Novak Petrov Haddad "
    "Rahimi"
).split()


def names(stream: Stream, sex: NDArray[np.int32]) -> list[str]:
    """First name and family name for each person."""
    import numpy as np

    def chosen(column: str, pool: list[str]) -> NDArray[np.str_]:
        shares = 1.0 / (np.arange(len(pool)) + 3.0)
        return np.array(pool)[pick(shares, stream.uniform(column, len(sex)))]

    first = np.where(sex == 0, chosen("first-woman", WOMEN), chosen("first-man", MEN))
    return [f"{one} {two}" for one, two in zip(first, chosen("family", FAMILIES), strict=True)]
