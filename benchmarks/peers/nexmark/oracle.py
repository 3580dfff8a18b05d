"""What NEXMark's queries give, in plain Python over lists of rows: each function is one query, and takes all events at once."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from datetime import UTC, datetime, timedelta
from typing import Any

Row = dict[str, Any]
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
SECOND = timedelta(seconds=1)
REST = SECOND


class Events:
    """The events that a run of ``nexmark_events`` has written, in event order, with times as ``datetime``."""

    def __init__(self, persons: list[Row], auctions: list[Row], bids: list[Row]) -> None:
        self.persons, self.auctions, self.bids = ([_timed(row) for row in rows] for rows in (persons, auctions, bids))


def _timed(row: Row) -> Row:
    times: Row = {name: datetime.fromisoformat(row[name]) for name in ("ts", "expires") if name in row}
    return {**row, **times}


def _floor(ts: datetime, size: timedelta) -> datetime:
    return EPOCH + (ts - EPOCH) // size * size


def _groups(rows: Iterable[Row], key: Callable[[Row], Hashable]) -> dict[Any, list[Row]]:
    groups = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return groups


def _winners(events: Events) -> list[tuple[Row, Row]]:
    """Each auction that has a bid, with the highest, and of several the first."""
    offers = _groups(events.bids, lambda bid: bid["auction"])
    found = []
    for auction in events.auctions:
        bids = [bid for bid in offers.get(auction["id"], []) if auction["ts"] <= bid["ts"] <= auction["expires"]]
        if bids:
            found.append((auction, max(bids, key=lambda bid: (bid["price"], -bid["number"]))))
    return found


def q0(events: Events) -> list[Row]:
    return events.bids


def q1(events: Events) -> list[Row]:
    return [{"ts": bid["ts"], "auction": bid["auction"], "bidder": bid["bidder"], "price": bid["price"] * 908 / 1000}
            for bid in events.bids]


def q2(events: Events) -> list[Row]:
    return [{"auction": bid["auction"], "price": bid["price"]} for bid in events.bids if bid["auction"] % 123 == 0]


def q3(events: Events) -> list[Row]:
    people = {person["id"]: person for person in events.persons if person["state"] in ("OR", "ID", "CA")}
    return [{"ts": auction["ts"], **{name: seller[name] for name in ("name", "city", "state")}, "auction": auction["id"]}
            for auction in events.auctions if auction["category"] == 10 and (seller := people.get(auction["seller"]))
            and seller["number"] < auction["number"]]


def q4(events: Events) -> list[Row]:
    prices = defaultdict(list)
    for auction, bid in _winners(events):
        prices[auction["category"]].append(bid["price"])
    return [{"category": category, "mean": sum(found) / len(found), "auctions": len(found)} for category, found in prices.items()]


def q5(events: Events) -> list[Row]:
    windows: dict[datetime, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for bid in events.bids:
        end = _floor(bid["ts"], 2 * SECOND) + 2 * SECOND
        for slide in range(5):
            windows[end + slide * 2 * SECOND][bid["auction"]] += 1
    return [{"until": end, "auction": auction, "bids": bids}
            for end, counts in windows.items() for most in (max(counts.values()),)
            for auction, bids in counts.items() if bids == most]


def q7(events: Events) -> list[Row]:
    return [{name: bid[name] for name in ("ts", "auction", "bidder", "price")}
            for bids in _groups(events.bids, lambda bid: _floor(bid["ts"], 10 * SECOND)).values()
            for highest in (max(bid["price"] for bid in bids),) for bid in bids if bid["price"] == highest]


def q8(events: Events) -> list[Row]:
    sellers = {(auction["seller"], _floor(auction["ts"], 10 * SECOND)) for auction in events.auctions}
    return [{"id": person["id"], "name": person["name"], "since": since} for person in events.persons
            if (person["id"], since := _floor(person["ts"], 10 * SECOND)) in sellers]


def q9(events: Events) -> list[Row]:
    return [{"auction": auction["id"], "seller": auction["seller"], "bidder": bid["bidder"], "price": bid["price"]}
            for auction, bid in _winners(events)]


def q11(events: Events) -> list[Row]:
    sessions: list[Row] = []
    for bidder, bids in _groups(events.bids, lambda bid: bid["bidder"]).items():
        until = None
        for bid in bids:
            if until is None or bid["ts"] >= until:
                sessions.append({"bidder": bidder, "since": bid["ts"], "until": None, "bids": 0})
            until = bid["ts"] + REST
            sessions[-1]["until"] = until
            sessions[-1]["bids"] += 1
    return sessions


def q12(events: Events) -> list[Row]:
    return [{"bidder": bidder, "bids": len(bids)} for bidder, bids in _groups(events.bids, lambda bid: bid["bidder"]).items()]


def _part(hour: int) -> str:
    return "day" if 8 <= hour <= 18 else "night" if hour <= 6 or hour >= 20 else "between"


def q14(events: Events) -> list[Row]:
    return [{"ts": bid["ts"], "auction": bid["auction"], "bidder": bid["bidder"], "price": bid["price"] * 908 / 1000,
             "part": _part(bid["ts"].hour), "channel": bid["channel"], "ps": bid["channel"].count("p")}
            for bid in events.bids if 1_000_000_000 < bid["price"] * 908 < 50_000_000_000]


def q17(events: Events) -> list[Row]:
    rows = []
    for (auction, day), bids in _groups(events.bids, lambda bid: (bid["auction"], bid["ts"].date())).items():
        prices = [bid["price"] for bid in bids]
        low, high = sum(price < 10000 for price in prices), sum(price >= 1000000 for price in prices)
        rows.append({"auction": auction, "day": day.isoformat(), "bids": len(prices), "low": low,
                     "middle": len(prices) - low - high, "high": high, "least": min(prices), "most": max(prices),
                     "mean": sum(prices) / len(prices), "total": sum(prices)})
    return rows


def q18(events: Events) -> list[Row]:
    return [bids[-1] for bids in _groups(events.bids, lambda bid: (bid["bidder"], bid["auction"])).values()]


def q19(events: Events) -> list[Row]:
    return [{name: bid[name] for name in ("auction", "bidder", "price", "number")}
            for bids in _groups(events.bids, lambda bid: bid["auction"]).values()
            for bid in sorted(bids, key=lambda bid: (-bid["price"], bid["number"]))[:10]]


def q20(events: Events) -> list[Row]:
    auctions = {auction["id"]: auction for auction in events.auctions if auction["category"] == 10}
    return [{**{name: bid[name] for name in ("ts", "auction", "bidder", "price", "channel")},
             **{name: auction[name] for name in ("item", "reserve", "expires", "seller")}}
            for bid in events.bids if (auction := auctions.get(bid["auction"])) and auction["number"] < bid["number"]]


def q22(events: Events) -> list[Row]:
    return [{**{name: bid[name] for name in ("auction", "bidder", "price", "channel")},
             "dir1": bid["channel"], "dir2": "item", "dir3": str(bid["auction"] % 1000)} for bid in events.bids]


QUERIES: dict[str, Callable[[Events], list[Row]]] = {
    query.__name__: query for query in (q0, q1, q2, q3, q4, q5, q7, q8, q9, q11, q12, q14, q17, q18, q19, q20, q22)}
