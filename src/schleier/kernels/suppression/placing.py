"""Place records into classes with gaps: the cheapest per record first, none of them too small.

What calls each other here stands in one file: the cache of compiled code only notices changes of a function's own file.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from schleier.kernels.classes.packed import STEP, mix_bits
from schleier.kernels.compiled import compiled

SPREAD = 3.0
"""How much the order of placing is shaken."""


@compiled
def total(price: Any, at: Any) -> Any:
    """What the choices of all records cost."""
    result = 0.0
    for u in range(len(at)):
        result += price[at[u]]
    return result


@compiled
def free(least: Any, node: Any, at: Any, count: Any) -> Any:
    """Take the records of nodes that are too small out again."""
    small = np.zeros(len(count), np.bool_)
    for v in range(len(count)):
        small[v] = count[v] < least
    for u in range(len(at)):
        if at[u] >= 0 and small[node[at[u]]]:
            count[node[at[u]]] -= 1
            at[u] = -1


@compiled
def fall(least: Any, start: Any, node: Any, price: Any, owner: Any, at: Any, count: Any) -> Any:
    """Take gaps back as long as a record can move to a cheaper node and leaves enough behind."""
    again = True
    while again:
        again = False
        for u in range(len(at)):
            for a in range(start[owner[u]], start[owner[u] + 1]):
                if price[a] >= price[at[u]]:
                    break  # the cheapest come first
                if count[node[a]] >= least and count[node[at[u]]] != least:
                    count[node[at[u]]] -= 1
                    count[node[a]] += 1
                    at[u] = a
                    again = True
                    break


@compiled
def fill(least: Any, start: Any, node: Any, price: Any, blank: Any, first: Any, whose: Any, by: Any, units: Any,
         at: Any, count: Any, shake: Any, bold: Any) -> Any:  # fmt: skip
    """Place all records that have no choice yet: open the node that costs least for each record waiting for it.

    ``bold``: a node that lacks records may take in another one as a whole even where there are other ways.
    """
    pool, waiting = np.zeros(len(count), np.int64), 0
    for i in range(len(start) - 1):
        for u in range(units[i], units[i + 1]):
            if at[u] < 0:
                waiting += 1
                for a in range(start[i], start[i + 1]):
                    pool[node[a]] += 1
    stuck = False
    while waiting > 0:
        wanted = np.flatnonzero(pool > 0)
        costs = np.empty(len(wanted))
        for t in range(len(wanted)):
            v = wanted[t]
            costs[t] = shake[v] * _each(v, least, price, first, whose, by, units, at, count, pool)
        moved = False
        for t in np.argsort(costs, kind="mergesort"):
            v = wanted[t]
            if pool[v] == 0 or shake[v] * _each(v, least, price, first, whose, by, units, at, count, pool) > costs[t]:
                continue  # dearer by now: look at it again
            need = least - count[v] - pool[v]
            ready = need <= 0 or _lent(v, need, least, node, price, first, whose, by, units, at, count)
            if not ready and (stuck or bold):
                ready = _given(v, node, price, first, whose, by, units, at, count)
            if not ready:
                continue
            for x in range(first[v], first[v + 1]):
                i = whose[x]
                for u in range(units[i], units[i + 1]):
                    if at[u] < 0:
                        at[u] = by[x]
                        count[v] += 1
                        waiting -= 1
                        for a in range(start[i], start[i + 1]):
                            pool[node[a]] -= 1
            moved = True
            if stuck:
                break
        stuck = not moved


@compiled
def _each(v: Any, least: Any, price: Any, first: Any, whose: Any, by: Any, units: Any, at: Any, count: Any,
          pool: Any) -> Any:  # fmt: skip
    """What a node costs for each record that waits for it, with those that must join."""
    cost, seen, dearest = 0.0, 0, 0.0
    need = least - count[v] - pool[v]
    for x in range(first[v], first[v + 1]):
        if seen == pool[v] and need <= 0:
            break
        dearest = max(dearest, price[by[x]])
        for u in range(units[whose[x]], units[whose[x] + 1]):
            if at[u] < 0:
                cost += price[by[x]]
                seen += 1
    return (cost + max(need, 0) * dearest) / pool[v] + 1e-9


@compiled
def _lent(v: Any, need: Any, least: Any, node: Any, price: Any, first: Any, whose: Any, by: Any, units: Any, at: Any,
          count: Any) -> Any:  # fmt: skip
    """Move records into a node from nodes that have more than enough, the cheapest first; all that it needs or none."""
    who, to = np.empty(need, np.int64), np.empty(need, np.int64)
    more, found = np.empty(need), 0
    for x in range(first[v], first[v + 1]):
        for u in range(units[whose[x]], units[whose[x] + 1]):
            if at[u] < 0 or node[at[u]] == v or count[node[at[u]]] <= least:
                continue
            extra = price[by[x]] - price[at[u]]
            if found == need and extra >= more[found - 1]:
                break  # the next one of this class costs as much
            if found == need:
                found -= 1
                count[node[at[who[found]]]] += 1
            place = found
            while place > 0 and more[place - 1] > extra:
                who[place], to[place], more[place] = who[place - 1], to[place - 1], more[place - 1]
                place -= 1
            who[place], to[place], more[place] = u, by[x], extra
            found += 1
            count[node[at[u]]] -= 1  # spoken for
    for t in range(found):
        if found == need:
            at[who[t]] = to[t]
            count[v] += 1
        else:
            count[node[at[who[t]]]] += 1
    return found == need


@compiled
def _given(v: Any, node: Any, price: Any, first: Any, whose: Any, by: Any, units: Any, at: Any, count: Any) -> Any:
    """Move all records of the node that can go as a whole at the lowest cost into this one."""
    inside, more = np.zeros(len(count), np.int64), np.zeros(len(count))
    for x in range(first[v], first[v + 1]):
        for u in range(units[whose[x]], units[whose[x] + 1]):
            if at[u] >= 0:
                inside[node[at[u]]] += 1
                more[node[at[u]]] += price[by[x]] - price[at[u]]
    best = -1
    for w in range(len(count)):
        if w != v and inside[w] > 0 and inside[w] == count[w] and (best < 0 or more[w] < more[best]):
            best = w
    if best < 0:
        return False
    for x in range(first[v], first[v + 1]):
        for u in range(units[whose[x]], units[whose[x] + 1]):
            if at[u] >= 0 and node[at[u]] == best:
                at[u] = by[x]
                count[v] += 1
                count[best] -= 1
    return True


@compiled
def draw(state: Any) -> Any:
    """The next 64 random bits: SplitMix64."""
    state[0] += np.uint64(STEP)
    return mix_bits(state[0])


@compiled
def uniform(state: Any) -> Any:
    """The next random number in [0, 1)."""
    return np.float64(draw(state) >> np.uint64(11)) * 2.0**-53


@compiled
def rebuilt(least: Any, start: Any, node: Any, price: Any, blank: Any, first: Any, whose: Any, by: Any, units: Any,
             owner: Any, at: Any, count: Any, state: Any, rounds: Any, floor: Any) -> Any:  # fmt: skip
    """Empty some nodes at random, forbid half of them, place their records anew in a shaken order; keep the best."""
    best, cost = at.copy(), total(price, at)
    held, held_at, held_count = cost, at.copy(), count.copy()
    shake = np.empty(len(count))
    for _ in range(rounds):
        if cost <= floor * (1 + 1e-9):
            break
        at[:], count[:] = held_at, held_count
        strength = SPREAD * uniform(state)
        for v in range(len(shake)):
            shake[v] = 1 + strength * uniform(state)
        for _ in range(1 + np.int64(draw(state) % np.uint64(4))):
            u = np.int64(draw(state) % np.uint64(len(at)))
            if at[u] >= 0:
                emptied = node[at[u]]
                for z in range(len(at)):
                    if at[z] >= 0 and node[at[z]] == emptied:
                        at[z] = -1
                count[emptied] = 0
                if draw(state) & np.uint64(1):
                    shake[emptied] = 1e12
        fill(least, start, node, price, blank, first, whose, by, units, at, count, shake, uniform(state) < 0.3)
        fall(least, start, node, price, owner, at, count)
        now = total(price, at)
        if now <= held * (1 + 1e-9) or uniform(state) < 0.02:
            held, held_at[:], held_count[:] = now, at, count
        if now < cost * (1 - 1e-9):
            cost, best[:] = now, at
    return best
