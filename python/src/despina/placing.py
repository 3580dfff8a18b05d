"""Where the operators of a graph should run by what is known of them and of machines, as a deployment that says why."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from despina.errors import Diagnostic, RefusedError
from despina.options import RunOptions, read_text

if TYPE_CHECKING:
    from despina.engine import Engine
    from despina.graph import Graph

_MEGABIT = 1e6 / 8
_INSTEAD = "run the job itself for some seconds with --report, and place it by --from"
"""Of a trial."""


@dataclass(frozen=True)
class Known:
    """What is known of a graph's work.

    :ivar rates: by source: packets per second; of the others those of the report hold
    :ivar report: what an earlier ``despina run --report`` has written, or the answer of :func:`trial`; costs are those of a
        table without one
    :ivar measured_on: the resource whose machine that run was on; the first of the deployment if not given
    """

    rates: Mapping[str, float]
    report: str | Path | Mapping[str, Any] | None = None
    measured_on: str | None = None

    def words(self) -> dict[str, Any]:
        """The same for the gateway.

        :raise RefusedError: the report cannot be read
        """
        words: dict[str, Any] = {"rates": dict(self.rates)}
        if isinstance(self.report, Mapping):
            words |= {"report": json.dumps(self.report), "report_file": "trial"}
        elif self.report is not None:
            words |= {"report": read_text(self.report, "report"), "report_file": str(self.report)}
        if self.measured_on is not None:
            words["measured_on"] = self.measured_on
        return words

    def __str__(self) -> str:
        report = ("" if self.report is None else f"a trial of {self.report['measured_s']:.3g} s"
                  if isinstance(self.report, Mapping) else Path(self.report).name)
        if report and not self.rates:
            return f"the rates and costs of {report}"
        rates = ", ".join(f"{source}={rate:.12g}/s" for source, rate in self.rates.items())
        costs = f"the costs of {report}" if report else "a table's costs"
        return f"{rates} and {costs}"


@dataclass(frozen=True)
class Task:
    """An instance of operators that run in one thread. ``busy``: the share of its time for which it works."""

    resource: str
    operators: tuple[str, ...]
    instance: int
    busy: float

    def __str__(self) -> str:
        return f"{'+'.join(self.operators)}{f'[{self.instance}]' if self.instance else ''} {self.busy:.2f}"


@dataclass(frozen=True)
class Machine:
    """How many of a resource's processors are busy."""

    resource: str
    busy: float
    cpus: float


@dataclass(frozen=True)
class Way:
    """What one resource sends to another, and the share of what the network carries between them."""

    source: str
    to: str
    bytes_per_s: float
    share: float

    def __str__(self) -> str:
        share = f", {self.share:.2f} of what there is" if self.share > 0 else ""
        return f"{self.source} to {self.to}: {self.bytes_per_s / _MEGABIT:.3g} Mbit/s{share}"


@dataclass(frozen=True)
class Proposal:
    """A placement and what is to be expected of it: ``place`` as in a deployment; ``greatest`` of all shares."""

    place: Mapping[str, list[str]]
    machines: tuple[Machine, ...]
    ways: tuple[Way, ...]
    tasks: tuple[Task, ...]
    greatest: float
    warnings: tuple[Diagnostic, ...] = ()

    @classmethod
    def of(cls, answer: Mapping[str, Any], warnings: tuple[Diagnostic, ...]) -> Proposal:
        """The ``proposal`` of ``Gateway.check``."""
        return cls(answer["place"], tuple(Machine(**each) for each in answer["machines"]),
                   tuple(Way(each["from"], each["to"], each["bytes_per_s"], each["share"]) for each in answer["ways"]),
                   tuple(Task(each["resource"], tuple(each["operators"]), each["instance"], each["busy"])
                         for each in answer["tasks"]), answer["greatest"], warnings)

    def too_much(self) -> list[str]:
        """What does not fit, in words."""
        return [*(f"{each.resource} has {each.cpus:g} processors, and {each.busy:.2f} would be busy"
                  for each in self.machines if each.busy > each.cpus),
                *(f"{each.operators[0]} has one thread for each instance, and instance {each.instance} on {each.resource} would "
                  f"need {each.busy:.2f} of it: give it more parallelism" for each in self.tasks if each.busy > 1),
                *(f"from {each}" for each in self.ways if each.share > 1)]

    def expected(self) -> str:
        """In a sentence."""
        if self.greatest > 1:
            return f"It does not fit: {'; '.join(self.too_much())}."
        room = f"{1 / self.greatest:.3g} times as much would fit" if self.greatest > 0 else "nothing is to be done"
        return f"The greatest share of a processor, a thread or the network is {self.greatest:.2f}: {room}."

    def of_resource(self, names: Iterable[str]) -> str:
        """What runs in these resources, in words."""
        return "; ".join(f"{name}: {each.busy:.2f} of {each.cpus:g} processors busy"
                         + "".join(f", {task}" for task in self.tasks if task.resource == name)
                         for name in names for each in self.machines if each.resource == name)

    def lines(self) -> list[str]:
        """For a terminal."""
        return [*(self.of_resource([each.resource]) for each in self.machines), *map(str, self.ways), self.expected()]

    def deployment(self, written: Mapping[str, Any], known: Known) -> dict[str, Any]:
        """The file with machines as a deployment that has the placement, and says why."""
        found = dict(written)
        sent = "".join(f" From {each}." for each in self.ways)
        found["doc"] = f"Placed by despina place for {known}. {self.expected()}{sent}"
        found["resources"] = {name: {**resource, "doc": self.of_resource(_alike(name, resource))}
                              for name, resource in written["resources"].items()}
        found["place"] = dict(self.place)
        return found


def _alike(name: str, resource: Mapping[str, Any]) -> list[str]:
    return [f"{name}-{k}" for k in range(resource["count"])] if "count" in resource else [name]


def trial(graph: Graph, time_s: float, *, options: RunOptions | None = None, engine: Engine | None = None) -> dict[str, Any]:
    """The report of a run of a graph on this machine, on its first rows, which writes nothing.

    Sinks drop what reaches them, so the report has no costs of theirs. The first half of the time warms up; if the input ends
    before, all of it counts.

    :param options: of these, parameters, modules and jars count: a state stays as it is
    :raise GraphError: the graph is refused
    :raise JobError: the run failed
    :raise RefusedError: packets that it would take may not be given to a source again, or it could change a database
    """
    from despina import engine as engines
    engine = engine or engines.start()
    given = options or RunOptions()
    wanted = RunOptions(parameters=given.parameters, modules=given.modules, jars=given.jars,
                        duration_s=time_s, warm_up_s=time_s / 2, on_stop="now")
    checked = graph.check(options, engine=engine)
    assert checked.plan is not None
    assert checked.guarantee is not None
    types = {each["id"]: each["type"] for each in checked.plan["operators"]}
    for name, type_ in types.items():
        if type_ == "sql":
            raise RefusedError("option", f"a trial would execute the statement of `{name}`", _INSTEAD)
    for source in checked.guarantee["sources"]:
        name = source["operator"]
        # another job keeps its rows until they are read
        if source["guarantee"] != "replayable" or types[name] == "job_source":
            raise RefusedError("option", f"a trial could take packets that `{name}` is not given again", _INSTEAD)
    whole = graph.whole(engine)
    job = whole.with_content(without_sinks(whole.to_dict(), checked.plan)).start(engine, wanted)
    job.wait()
    report = job.report()
    sinks = _sinks(checked.plan)
    return {**report, "operators": {name: each for name, each in report["operators"].items() if name not in sinks}}


def without_sinks(content: Mapping[str, Any], plan: Mapping[str, Any]) -> dict[str, Any]:
    """The graph with a ``discard_sink`` in the place of each sink, without what only sinks lead to.

    What leads to a sink runs in no task with it, so that the time of the one is not in that of the other.

    :param content: without parts
    :param plan: of ``Graph.check``
    """
    sinks = _sinks(plan)
    reached = {each["id"] for each in plan["operators"]} - {each["to"] for each in plan["links"]}
    waiting = list(reached)
    while waiting:
        one = waiting.pop()
        ahead = {each["to"] for each in plan["links"] if each["from"] == one and one not in sinks} - reached
        reached |= ahead
        waiting += ahead
    operators = {name: {"type": "discard_sink", "parallelism": sinks[name]} if name in sinks else written
                 for name, written in content["operators"].items() if name in reached}
    links = [{**written, "fuse": False} if planned["to"] in sinks else written
             for planned, written in zip(plan["links"], content["links"], strict=True)
             if planned["from"] in reached and planned["from"] not in sinks]
    # what is dropped promises nothing of rows after a loss, and a trial has none
    settings = {name: value for name, value in content.get("settings", {}).items() if name != "guarantee"}
    return {**content, "settings": settings, "operators": operators, "links": links}


def _sinks(plan: Mapping[str, Any]) -> dict[str, int]:
    """The number of instances of each."""
    return {each["id"]: each["parallelism"] for each in plan["operators"]
            if all(port["name"] == "errors" for port in each["outputs"])}
