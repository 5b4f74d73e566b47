"""The invented classifications of the world, shaped like the official ones: codes whose prefixes are coarser groups."""

from __future__ import annotations

SEXES = ("female", "male")
MARITAL = ("single", "married", "divorced", "widowed")
SCHOOLING = ("none", "basic", "middle", "upper", "degree")
DISEASES = ("none", "hypertension", "diabetes", "asthma", "depression", "cancer", "Huntington")

NATIONS = ("DE", "TR", "PL", "SY", "RO", "IT", "UA", "HR", "BG", "GR", "AF", "RU", "VN", "US", "BR", "IS", "LU", "NZ")
"""German first; the last are rare enough to be recognised."""
FOREIGN_SHARES = (0, 20, 13, 13, 12, 9, 9, 6, 6, 5, 4, 4, 2, 2, 0.8, 0.06, 0.05, 0.03)

LANDS = {
    "01": ("Schleswig-Holstein", 2.9, 15),
    "02": ("Hamburg", 1.9, 1),
    "03": ("Niedersachsen", 8.1, 45),
    "04": ("Bremen", 0.7, 2),
    "05": ("Nordrhein-Westfalen", 18.1, 53),
    "06": ("Hessen", 6.4, 26),
    "07": ("Rheinland-Pfalz", 4.2, 36),
    "08": ("Baden-Württemberg", 11.3, 44),
    "09": ("Bayern", 13.4, 96),
    "10": ("Saarland", 1.0, 6),
    "11": ("Berlin", 3.8, 1),
    "12": ("Brandenburg", 2.6, 18),
    "13": ("Mecklenburg-Vorpommern", 1.6, 8),
    "14": ("Sachsen", 4.1, 13),
    "15": ("Sachsen-Anhalt", 2.2, 14),
    "16": ("Thüringen", 2.1, 22),
}
"""Code: name, million inhabitants, number of districts (Kreise)."""

AREAS = {
    "1": ("Agriculture and gardening", 2.2, 0.30),
    "2": ("Production and technology", 21, 0.15),
    "3": ("Construction and buildings", 6.5, 0.07),
    "4": ("Science, geography, computing", 4.5, 0.25),
    "5": ("Transport, logistics, security", 13.5, 0.28),
    "6": ("Trade, sales, tourism", 12.3, 0.62),
    "7": ("Business, accounting, law, administration", 20, 0.62),
    "8": ("Health, social work, teaching", 17, 0.80),
    "9": ("Humanities, media, art", 2.7, 0.56),
    "0": ("Military", 0.3, 0.12),
}
"""Occupational area: name, share in percent, share of women."""

DEMAND = (
    (1.6, 1.4, 1.2, 0.7, 0.3),
    (1.2, 1.3, 1.3, 0.8, 0.5),
    (1.7, 1.5, 1.2, 0.6, 0.3),
    (0.0, 0.1, 0.5, 1.3, 2.6),
    (2.6, 1.9, 1.1, 0.6, 0.2),
    (1.5, 1.4, 1.2, 0.8, 0.4),
    (0.2, 0.5, 1.1, 1.3, 1.3),
    (0.3, 0.5, 1.0, 1.0, 1.6),
    (0.1, 0.3, 0.7, 1.3, 2.0),
    (0.3, 0.9, 1.4, 1.2, 0.7),
)
"""How much more often an area is found at each level of schooling."""

SECTIONS = {
    "A": ("Agriculture", (1, 2, 3)),
    "B": ("Mining", (5, 8, 9)),
    "C": ("Manufacturing", (10, 11, 13, 16, 20, 22, 23, 24, 25, 26, 27, 28, 29, 31, 32)),
    "F": ("Construction", (41, 42, 43)),
    "G": ("Trade", (45, 46, 47)),
    "H": ("Transport", (49, 50, 51, 52, 53)),
    "I": ("Hotels and restaurants", (55, 56)),
    "J": ("Information", (58, 59, 61, 62, 63)),
    "K": ("Finance", (64, 65, 66)),
    "M": ("Professional services", (69, 70, 71, 72, 73)),
    "O": ("Public administration", (84,)),
    "P": ("Education", (85,)),
    "Q": ("Health and social work", (86, 87, 88)),
    "R": ("Arts and leisure", (90, 91, 92, 93)),
}
"""Industry: section, and its divisions."""

WHERE = (
    (70, 1, 6, 1, 8, 1, 1, 0, 0, 1, 6, 1, 2, 2),
    (1, 1, 72, 4, 9, 3, 0, 2, 0, 5, 2, 1, 0, 0),
    (1, 1, 9, 78, 3, 2, 0, 0, 0, 3, 3, 0, 0, 0),
    (0, 0, 18, 2, 5, 2, 0, 40, 5, 20, 5, 3, 0, 0),
    (1, 0, 15, 2, 18, 50, 1, 1, 0, 3, 8, 0, 1, 0),
    (0, 0, 5, 1, 68, 2, 19, 1, 1, 1, 0, 0, 0, 2),
    (1, 1, 18, 3, 14, 4, 1, 6, 16, 16, 15, 2, 3, 0),
    (0, 0, 1, 0, 3, 0, 0, 0, 0, 1, 7, 24, 63, 1),
    (0, 0, 4, 0, 8, 0, 1, 28, 0, 14, 4, 8, 2, 31),
    (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 100, 0, 0, 0),
)
"""Share of the sections of industry in each occupational area."""


def occupations() -> tuple[str, ...]:
    """All occupation codes, area by area: area, main group, group, and the demand of the work from 1 to 4.

    >>> len(occupations()), occupations()[0]
    (600, '1111')
    """
    return tuple(
        f"{area}{main}{group}{level}"
        for area in AREAS
        for main in (1, 2, 3)
        for group in range(1, 6)
        for level in (1, 2, 3, 4)
    )


def industries() -> tuple[str, ...]:
    """All industry codes, section by section: section, division, group."""
    return tuple(
        f"{section}{division:02d}{group}"
        for section, (_, divisions) in SECTIONS.items()
        for division in divisions
        for group in (1, 2, 3, 9)
    )
