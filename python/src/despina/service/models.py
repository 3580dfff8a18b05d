"""What the REST interface takes and gives. The models are its checks, its reference and its OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from despina.service.store import Isolation, Real, Restart, Wanted

NAME = r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$"
LABEL = r"^[A-Za-z0-9][A-Za-z0-9_./-]{0,62}$"
MOST_TEXT = 16 << 20
MOST_SPEC = 4 << 20
MOST_COMMENT = 1000
MOST_SPOOLS = 64
SPOOL = ("Sinks whose rows are kept on the service's disk for programs that read them at /jobs/NAME/address. The job lasts until "
         "all of them are read.")
ISOLATION = ("own: processes of its own. shared: one process with all jobs that are shared, which is lost for all of them at "
             "once; without a deployment.")


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Used(BaseModel):
    """Where a part of a graph is used, or its file is named."""

    file: str = ""
    line: int = 0
    column: int = 0
    pointer: str = ""


class Diagnostic(BaseModel):
    """One thing that is wrong, or that is warned of."""

    rule: str = Field(description="Which rule it breaks; see the codes of the reference.")
    severity: Literal["error", "warning"] = "error"
    message: str
    hint: str = Field("", description="What to do.")
    file: str = ""
    line: int = Field(0, description="From 1 on; 0 if it is not known, as of the column.")
    column: int = 0
    pointer: str = Field("", description="JSON pointer into the file.")
    operator: str = ""
    used: list[Used] = Field(default_factory=list, description="Of what is in a part: where the part is used, from the inside "
                             "out.")
    more: int = Field(0, description="How many other uses of the part have the same.")


class Problem(BaseModel):
    """The answer to a request that is refused or failed."""

    diagnostics: list[Diagnostic]
    files: list[str] | None = Field(None, description="Digests of files that are to be sent first.")


class Submission(_Strict):
    """A graph that is to run."""

    graph: str = Field(max_length=MOST_TEXT, description="The text of the graph's file.")
    file: str = Field("graph", max_length=1000, description="The file's name, for diagnostics.")
    name: str | None = Field(None, pattern=NAME, description="Of the job; the graph's if it is not given.")
    deployment: str | None = Field(None, max_length=MOST_TEXT, description="The text of a deployment file. Without one the job "
                                   "has one process of its own.")
    parameters: dict[str, str] = Field(default_factory=dict, description="Values for the graph's parameters.")
    labels: dict[str, str] = Field(default_factory=dict, max_length=32)
    inputs: list[str] = Field(default_factory=list, description="Sources that programs give rows, at /jobs/NAME/inputs/SOURCE.")
    files: dict[str, str] = Field(default_factory=dict, description="Of each file that comes with the graph the SHA-256, by its "
                                  "path below the job's folder, of which relative paths of the graph are. 404 names those that "
                                  "the service does not have: PUT /api/v1/files/DIGEST.")
    spool: list[str] = Field(default_factory=list, max_length=MOST_SPOOLS, description=SPOOL)
    restart: Restart = Field("resume", description="When the service or its coordinator was lost: resume goes on from the last "
                             "complete epoch, from_start begins anew, never leaves the job lost.")
    isolation: Isolation = Field("own", description=ISOLATION)


class Done(_Strict):
    """What a reader of rows is done with."""

    place: str = Field("", max_length=4000, description="Behind the last row; empty for none.")
    how: Literal["waits", "takes", "leaves"] = Field("takes", description="How it goes on: waits for the end of the job, takes "
                                                     "more, or leaves what is left to a later start.")


class Address(BaseModel):
    """Where programs reach a running job, and what lets them in: what a job file has."""

    host: str
    port: int
    job: str = Field(description="Its id at the coordinator.")
    secret: str | None = Field(None, description="That lets a program in; null if it is in a file, or the environment.")
    secret_file: str | None = None
    tls: str | None = Field(None, description="The folder of the files for TLS; null for none.")


class Standing(BaseModel):
    """Whether a source takes rows."""

    room: bool = Field(description="Whether more may be sent at once.")
    open: bool = Field(description="Whether anything more will be taken.")


class Given(BaseModel):
    """Rows of a program that are in."""

    rows: int = Field(description="How many; -1 if it is not known yet.")


class End(_Strict):
    """The end of the rows of a program."""

    failure: str = Field("", max_length=1 << 14, description="Why the rows could not be given, which fails the job.")


class Check(_Strict):
    """A graph that is to be checked."""

    graph: str = Field(max_length=MOST_TEXT, description="The text of the graph's file.")
    file: str = Field("graph", max_length=1000)
    deployment: str | None = Field(None, max_length=MOST_TEXT)
    parameters: dict[str, str] = Field(default_factory=dict)
    inputs: list[str] = Field(default_factory=list, description="Sources that are given rows.")


class Checked(BaseModel):
    """What check says."""

    ok: bool
    diagnostics: list[Diagnostic]
    plan: dict[str, Any] | None = Field(None, description="Schemas, event time and what fused; null if there is an error.")
    inputs: dict[str, str] = Field(default_factory=dict, description="Of each source that is given rows, its columns: an Arrow "
                                   "stream without a row, in base 64.")
    defaults: dict[str, str] = Field(default_factory=dict, description="The columns that these rows may leave out, and what they "
                                     "then are, likewise.")
    guarantee: dict[str, Any] | None = Field(None, description="What the job promises of its rows after a loss.")
    whole: str | None = Field(None, description="The graph with the operators of its parts in the place of each use; null if it "
                              "has no parts.")


class Tests(_Strict):
    """A graph whose tests are to run."""

    graph: str = Field(max_length=MOST_TEXT, description="The text of the graph's file; behind it, after the sign U+001E, "
                       '{"PATH": {"text": "…"}} with its files *.test.json and those of its parts.')
    file: str = Field("graph", max_length=1000, description="The file's name, for diagnostics.")
    files: dict[str, str] = Field(default_factory=dict, description="As of a submission.")


class Differing(BaseModel):
    """Rows of a sink or a port that are not as a case expects."""

    name: str
    line: int
    column: int
    rows: list[str] = Field(description="Each with a sign in front: - was expected, + was found.")


class Case(BaseModel):
    """How a case went."""

    file: str
    name: str
    ok: bool
    differences: list[Differing] = Field(default_factory=list)
    diagnostics: list[Diagnostic] = Field(default_factory=list, description="What kept it from running to its end.")
    batch_rows: int | None = Field(None, description="How many rows its Python functions got at a time, if that makes it fail.")


class Tested(BaseModel):
    """How the tests of a graph went."""

    ok: bool
    cases: list[Case]
    diagnostics: list[Diagnostic] = Field(description="What is wrong with a file of tests, or is not allowed. Then none has run.")


class Unformatted(_Strict):
    """A graph that is to be written as `despina fmt` writes it."""

    graph: str = Field(max_length=MOST_TEXT, description="The text of the graph's file.")
    file: str = Field("graph", max_length=1000, description="The file's name, for diagnostics.")


class Formatted(BaseModel):
    """A graph as `despina fmt` writes it."""

    graph: str


class Start(_Strict):
    """How a job is started again."""

    from_start: bool = Field(False, description="Begin anew, whatever the state has.")


class Stop(_Strict):
    """How a job is stopped."""

    mode: Literal["drain", "flush", "now"] = Field(default="drain", description="drain works off what is in flight, flush ends "
                                                   "it as the end of the input does, now drops all of it.")
    limit_s: float = Field(default=10.0, ge=0, le=86_400, description="What has not been worked off by then is dropped.")


class Upgrade(_Strict):
    """Another graph for a job. What is not given is as before."""

    graph: str = Field(max_length=MOST_TEXT, description="The text of the graph's file.")
    file: str = Field("graph", max_length=1000, description="The file's name, for diagnostics.")
    deployment: str | None = Field(None, max_length=MOST_TEXT)
    parameters: dict[str, str] = Field(default_factory=dict, description="If any are given, all are.")
    labels: dict[str, str] = Field(default_factory=dict, max_length=32)
    inputs: list[str] = Field(default_factory=list)
    spool: list[str] = Field(default_factory=list, max_length=MOST_SPOOLS)
    files: dict[str, str] = Field(default_factory=dict, description="As of a submission.")
    drop: list[str] = Field(default_factory=list, max_length=10_000, description="Operators of the running graph whose state may "
                            "be lost.")
    rename: dict[str, str] = Field(default_factory=dict, max_length=10_000, description="By the id of an operator of the running "
                                   "graph: its id in this one.")
    watch_s: float = Field(30.0, ge=0, le=86_400, description="For how long it must run; if it fails before, the graph before "
                           "comes back.")
    limit_s: float = Field(60.0, ge=0, le=86_400, description="How long the graph before may work off what is in flight.")


class Fate(BaseModel):
    """What would become of an operator."""

    operator: str
    change: Literal["kept", "changed", "new", "gone"] = Field(description="In the graph.")
    state: str = Field(description="Of what it keeps: kept, renamed, new or dropped; empty if it keeps nothing.")
    words: str


class DryRun(BaseModel):
    """What would become of a job."""

    from_state: str = Field(description="What of its state was looked at, in words; empty if it has none yet.")
    operators: list[Fate]


class Upgrading(BaseModel):
    """How far an upgrade is."""

    from_run: int = Field(description="From which this run takes over.")
    phase: Literal["drains", "starts", "over", "comes_back", "withdrawn"] = Field(
        description="drains: the run before works off what is in flight, into a savepoint. starts: this one has begun, and is "
        "watched. over: it has run long enough. comes_back, withdrawn: it has failed, and the run before is the job.")


class Control(_Strict):
    """What operators of a running job are told."""

    command: str = Field(description="As `hold`, `go`, `flush`, `fire`, `reload`, `move` or `set_schedule`.")
    operator: str = Field("", description="Without one, all that know the command are told.")
    argument: str = Field("", description="`close` of `fire`, a schedule of `set_schedule`, resources of `move`.")


class Told(BaseModel):
    """What an instance of an operator answers."""

    operator: str
    instance: int
    ok: bool = Field(description="Whether it has done it.")
    answer: str = Field(description="What it did, or why not; may be empty.")


class Answers(BaseModel):
    """Of all that were told."""

    answers: list[Told]


class Spec(_Strict):
    """A graph or a deployment that is to be kept."""

    text: str = Field(max_length=MOST_SPEC, description="The text of its file, an object of JSON. Check says whether it can run.")
    comment: str = Field("", max_length=MOST_COMMENT, description="Why it is saved.")


class Save(BaseModel):
    """A revision of what is kept."""

    name: str
    revision: int = Field(description="Counts the saves of that name, from 1 on.")
    at_ms: int = Field(description="When it was saved: milliseconds since 1970.")
    who: str = Field(description="The name of the token; empty if it came into the folder in another way.")
    comment: str


class Saves(BaseModel):
    """Revisions."""

    saves: list[Save]


class Found(Saves):
    """What a search has found."""

    unread: list[str] = Field(default_factory=list, description="Names whose texts were not searched, for all texts are too "
                              "large for that: only their names and comments were.")


class Revision(Save):
    """A revision with its text."""

    text: str


class Draft(_Strict):
    """What is not saved yet."""

    text: str = Field(max_length=MOST_SPEC, description="As of a save; it need not be in order.")
    before: int | None = Field(None, ge=1, description="The revision that it is compared with; the newest if not given.")


class Difference(BaseModel):
    """What has changed from one revision to another, or to a draft."""

    before: Save
    after: Save = Field(description="Of a draft with the revision 0.")
    text: str = Field(description="Lines, as diff -u writes them; empty if they are the same.")
    operators: list[Fate] = Field(description="Of graphs, what has become of each operator.")


class Saved(BaseModel):
    """What a run was submitted from."""

    graph: str
    revision: int
    deployment: str = Field("", description="Empty for none that was saved, as 0 of its revision.")
    deployment_revision: int = 0


class OfSaved(_Strict):
    """A graph that was saved, and is to run."""

    revision: int | None = Field(None, ge=1, description="The newest if it is not given.")
    job: str | None = Field(None, pattern=NAME, description="The name of the job; the graph's if it is not given.")
    deployment: str | None = Field(None, pattern=NAME, description="One that was saved.")
    deployment_revision: int | None = Field(None, ge=1)
    parameters: dict[str, str] = Field(default_factory=dict)
    labels: dict[str, str] = Field(default_factory=dict, max_length=32)
    inputs: list[str] = Field(default_factory=list)
    spool: list[str] = Field(default_factory=list, max_length=MOST_SPOOLS, description=SPOOL)
    files: dict[str, str] = Field(default_factory=dict, description="As of a submission.")
    restart: Restart = "resume"
    isolation: Isolation = Field("own", description=ISOLATION)


class Job(BaseModel):
    """A run of a job. Times are milliseconds since 1970."""

    name: str
    run: int = Field(description="Counts the submissions of that name, from 1 on.")
    graph: str = Field(description="The name of the graph's file.")
    labels: dict[str, str]
    wanted: Wanted = Field(description="What was asked for last.")
    state: Real = Field(description="What it is. lost: it ran, and nothing of it is left.")
    reason: str = Field(description="Why it is that; empty for nothing worth saying.")
    restart: Restart
    isolation: Isolation = "own"
    starts: int = Field(description="How often it was started, by a user or after a loss.")
    submitted_at_ms: int
    changed_at_ms: int = Field(description="Since when it is in this state.")
    error: Diagnostic | None = None
    upgrade: Upgrading | None = Field(None, description="Of a run that takes over from another.")
    saved: Saved | None = Field(None, description="Of one that was submitted from a graph that is kept.")
    status: dict[str, Any] | None = Field(None, description="Counters of operators and links, resources with their processes, "
                                          "epoch; null before its first start. Of a job that has ended, the last.")
    values: dict[str, float] | None = Field(None, description="Of one that runs, its last second by the names of the series: "
                                            "rates, shares, lags. Where one run is asked for.")


class JobList(BaseModel):
    """Of each name the last run."""

    jobs: list[Job]


class Line(BaseModel):
    """A line of a log, or an error."""

    model_config = ConfigDict(extra="allow")

    at_ms: int
    level: Literal["info", "warning", "error"]
    source: str = Field(description="service, engine, console (what a console_sink printed), or process: what one of the "
                        "job's processes writes, with its `resource`. Where an operator says it, that is in `operator`.")
    text: str


class Lines(BaseModel):
    """Lines of a log."""

    lines: list[Line]
    next: str = Field(description="Give it as `after` for the lines behind these.")


class Tail(BaseModel):
    """Some of the rows that come to an operator."""

    rows: list[str] = Field(description="Each as an object of JSON; a long one is cut, and of one beyond 64 kB its size is told.")
    next: int = Field(description="Give it as `after` for the rows behind these.")


class History(BaseModel):
    """Values over time."""

    step_s: int
    at_ms: list[int] = Field(description="When, in order: milliseconds since 1970.")
    values: dict[str, list[float | None]] = Field(description="Of each series a value for each time.")


class Series(BaseModel):
    """Something that is recorded."""

    of: str = Field(description="job, operator, link or resource.")
    what: str
    unit: str
    doc: str


class Graph(BaseModel):
    """What a run was submitted as."""

    graph: str = Field(description="The text of its graph.")
    deployment: str | None = None
    plan: dict[str, Any] | None = Field(None, description="Schemas, event time and what fused; null while there is no "
                                        "coordinator.")


class Process(BaseModel):
    """A process of the service, on its machine."""

    name: str
    pid: int
    cpu_s: float = Field(description="Processor time since its start.")
    resident_bytes: int


class Service(BaseModel):
    """The service itself."""

    processes: list[Process]
    threads: int = Field(description="Of its own process.")
    viewers: int = Field(description="Who follow the live stream.")
    disk_bytes: int = Field(description="Of the disk with its folder.")
    disk_free_bytes: int
    memory_bytes: int | None = Field(description="What the processes of all jobs may take; null for no bound.")
    memory_taken_bytes: int = Field(description="What those of jobs that have not ended may take.")
    missing: str = Field(description="Why no job can run; empty if one can.")


class Limits(BaseModel):
    """What requests may take. Those beyond are answered with 413, 429 or 503."""

    body_bytes: int = Field(description="Of a request.")
    body_s: float = Field(description="How long its body may take to come.")
    requests_per_s: float = Field(description="Of one address.")
    running: int = Field(description="Requests that are answered at one time, of all addresses.")
    bodies_bytes: int = Field(description="Of the bodies of all of those.")


class Version(BaseModel):
    """What answers."""

    despina: str
    java: str | None = Field(None, description="Of the coordinator; null while it starts.")


class Live(BaseModel):
    """The process answers."""

    status: Literal["ok"] = "ok"


class Ready(BaseModel):
    """Whether jobs can run."""

    ready: bool
    reasons: list[str] = Field(default_factory=list, description="Why not.")
