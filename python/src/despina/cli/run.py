"""``despina run``: a graph on the engine, or on Spark, watched until it ends."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, TextIO

import click
from click.core import ParameterSource

from despina import engine as engines
from despina import interrupts, leftovers
from despina.cli import options, supervise, tell, timeline, view, warn
from despina.cli.standard import StandardStreams
from despina.errors import DespinaError, Diagnostic, IncompleteError, JobError, Place, RefusedError, StartError, visible

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from despina.engine import Engine
    from despina.function_files import Watch
    from despina.graph import Graph, RunOptions
    from despina.job import Job, Status

SHOWN_ROWS = 10
CHECKING = "checking the graph"
LOCAL_OPTIONS = ("listen", "join_timeout_s", "driver")
"""Parameters of the command that say something to the engine of this machine alone."""
ENGINE_OPTIONS = ("deployment", "jars", "job_file", "spool", "spool_bytes", "delivery", "duration_s", "warm_up_s", "on_stop",
                  "drain_ms", "secret_file", "tls", "state", "epoch_ms", "from_start", "resume", "from_",
                  "drop", "rename", "spares", "standby", "coordinator_lost_ms", "registry", "reload", "timing", *LOCAL_OPTIONS)
"""Parameters that say something to the engine and nothing to Spark."""
SPARK_OPTIONS = ("master", "conf")
"""Parameters that say something to the Spark whose executors run the graph."""


@click.command("run")
@options.GRAPH
@options.SET
@options.DEPLOYMENT
@options.JARS
@options.MODULES
@click.option("--duration", "duration_s", callback=options.span("s", above_zero=True), metavar="TIME",
              help="Stop the job after TIME, as --on-stop says: seconds, or with a unit: 500ms, 10s, 2m, 1h.")
@click.option("--report", type=click.Path(path_type=Path, allow_dash=True),
              help="Write the report (JSON) to this file; - for stdout.")
@click.option("--spool", metavar="SINK", multiple=True,
              help="Keep the rows that reach SINK on disk, for programs that read them while the job runs; may be repeated.")
@click.option("--serve", "renamed", multiple=True, hidden=True)
@click.option("--spool-bytes", type=click.IntRange(min=1), metavar="BYTES",
              help="How many of them an instance of SINK keeps before the job waits for its readers. Default: 1 GiB.")
@click.option("--delivery", type=click.Choice(["by_epoch", "at_least_once"]),
              help="When these programs, and Python, see the rows, with --state: by_epoch (default) when their epoch is "
                   "complete, each once; at_least_once at once, and after a loss those of the last epoch again.")
@click.option("--job-file", type=click.Path(path_type=Path), metavar="FILE",
              help="Write to FILE, while the job runs, where other programs reach it and the secret that they need.")
@click.option("--warm-up-s", "--warm_up_s", "warm_up_s", callback=options.span("s"), metavar="TIME",
              help="Reset counters and latency after TIME: seconds, or with a unit.")
@click.option("--on-stop", type=click.Choice(["drain", "flush", "now"]),
              help="How --duration, Ctrl-C and SIGTERM end it: drain (default) works off what is in flight, and windows "
                   "stay open; flush ends it as the end of the input does: windows fire, and nothing waits; now drops all of it.")
@click.option("--drain-ms", "--drain_ms", "drain_ms", callback=options.span("ms"), metavar="TIME",
              help="How long drain and flush may take, before what is left is dropped: milliseconds, or with a unit. "
                   "Default: 10s.")
@click.option("--state", metavar="DIR",
              help="Keep the job's state in this folder, or at an address such as hdfs:// or s3a://. Run again with it, the job "
                   "goes on from its last complete epoch.")
@click.option("--epoch-ms", "--epoch_ms", "epoch_ms", callback=options.span("ms", above_zero=True), metavar="TIME",
              help="From the beginning of an epoch to that of the next: milliseconds, or with a unit. Default: 1s.")
@click.option("--resume", is_flag=True, default=None,
              help="Refuse to run where --state has no epoch to go on from, instead of beginning anew.")
@click.option("--from-start", "--from_start", "from_start", is_flag=True, default=None,
              help="Begin anew, whatever --state has to go on from.")
@click.option("--from", "from_", metavar="DIR|EPOCH",
              help="Go on from the savepoint in DIR, or from that epoch of --state, and not from the newest.")
@click.option("--drop", metavar="ID", multiple=True,
              help="The state that this operator had there may be lost; may be repeated.")
@click.option("--rename", metavar="OLD=NEW", multiple=True,
              help="An operator there has another id in the graph; may be repeated.")
@click.option("--spare", "spares", type=click.IntRange(min=0), metavar="N",
              help="So many processes stand by, with --state, for children of the --deployment that are lost; in place of its "
                   "`spares`.")
@click.option("--standby", is_flag=True, default=None,
              help="Wait while another run has --state. When that is lost, take its job over: it goes on in its resources, all "
                   "of which join.")
@click.option("--coordinator-lost-ms", "--coordinator_lost_ms", "coordinator_lost_ms",
              callback=options.span("ms", above_zero=True), metavar="TIME",
              help="How long the resources of the job go on when this command is lost, for another one that takes it over: "
                   "milliseconds, or with a unit. Default: 10s with --standby, else not at all.")
@click.option("--registry", metavar="URL",
              help="Where it is decided which command has a job: zookeeper://HOST:PORT,.../PATH. Default: in --state, "
                   "which keeps the address of its first run.")
@click.option("--service", metavar="URL",
              help="Submit it to that service, and watch it from here: Ctrl-C leaves the job running.")
@click.option("--on", "on", type=click.Choice(["local", "executors", "spark"]), default="local", show_default=True,
              help="What runs the graph: the engine here, the engine in the executors of a Spark cluster, or Spark itself.")
@click.option("--master", metavar="URL", help="The Spark master of --on executors. Under spark-submit, leave it out.")
@click.option("--conf", metavar="NAME=VALUE", multiple=True,
              help="A Spark setting for --on executors; may be repeated.")
@click.option("--secret-file", type=click.Path(path_type=Path),
              help="A file with the secret of all resources; needed if resources join. Default: DESPINA_SECRET in the "
                   "environment.")
@options.TLS
@click.option("--listen", metavar="HOST", help="The address of this machine at which resources join. Default: 127.0.0.1.")
@click.option("--join-timeout", "join_timeout_s", type=click.FloatRange(min=0, min_open=True), metavar="S",
              help="How long to wait for resources on other machines to join. Default: 60.")
@options.DRIVER
@options.JSON
@click.option("--restart", type=click.Choice(["never", "always"]), default="never", show_default=True,
              help="always: start the command again when its engine is lost or it is killed, and go on from --state. A small "
                   "process stays for that.")
@click.option("--reload", is_flag=True,
              help="Import Python functions anew when their modules change, or a file that their `options` name.")
@click.option("--timing", is_flag=True,
              help="Tell at the end what the time to the first packet went to; the report has it as `timing`.")
@click.option("--quiet", is_flag=True, help="Print no progress.")
def command(graph: Path, settings: tuple[str, ...], driver: str, report: Path | None, job_file: Path | None, on: str,
            master: str | None, conf: tuple[str, ...], as_json: bool, restart: str, reload: bool, timing: bool,
            quiet: bool, rename: tuple[str, ...], service: str | None, renamed: tuple[str, ...], **given: Any) -> int:
    """Run GRAPH until its input ends, its --duration has passed, or Ctrl-C. A second Ctrl-C ends it at once.

    With --state, the job outlives what happens to it: run the same command again, and it goes on from its last complete epoch. A
    job that was stopped goes on from the epoch in which it was stopped. Where the job has ended, that is told and nothing runs:
    --from-start begins anew. Two runs at once on one state are refused. A changed graph goes on if the states of its operators
    fit: `despina check GRAPH --from DIR` says that before.

    SIGTERM and SIGHUP act like Ctrl-C. A job that was stopped says by operator which packets it has dropped: those in flight, in
    open windows, or waiting for a watermark. If there are any, the exit code is 5. --json prints one object however the job ends:
    the report, if there is one, and `diagnostics`.
    """
    from despina.backends import split
    from despina.graph import RunOptions, load
    if renamed:
        raise RefusedError("option", "--serve is called --spool: it keeps rows on disk for programs that read them",
                           f"--spool {renamed[0]}; `despina serve` is a service, and --service URL submits to one")
    if service is not None:
        from despina.cli import watched
        return watched.run(click.get_current_context(), service, _process_start_ms())
    loaded = load(graph)
    if restart == "always":
        return _supervised(given.get("state"))
    started_at_ms = _process_start_ms()
    wanted = RunOptions(parameters=options.parameters(settings), started_at_ms=started_at_ms,
                        supervised_since_ms=supervise.since_ms(), rename=options.parameters(rename, "--rename"), **given)
    if report is not None and str(report) != "-":
        _refuse_unwritable(report.absolute())
    parted = on != "spark" and bool(split.on_spark(wanted))
    _refuse_options(click.get_current_context(), "parted" if parted and on == "local" else on)
    progress = view.choose(sys.stderr, quiet or as_json, started_at_ms)
    if on == "spark":
        return _on_spark(loaded, wanted, report, progress, as_json, quiet)
    wanted.for_gateway()     # a deployment that cannot be read is told before a JVM starts
    _end_on_signals()
    files = Files(report, job_file, _watch(loaded, wanted, driver) if reload else None, timing)
    if on == "local" and not parted:
        return _on_engine(loaded, wanted, engines.start(driver, coordinates_only=wanted.deployment is not None), files, progress,
                          as_json, quiet, waiting=_tell_standby() if wanted.standby and not quiet else None)
    _check_first(loaded, wanted, on, driver, progress)
    with _told_if_stopped(progress):
        progress.phase("starting Spark")
        with _session(master, options.parameters(conf, "--conf"), on) as spark, _engine_beside(spark, on, driver) as engine:
            return _on_engine(loaded, wanted, engine, files, progress, as_json, quiet, spark if parted else None, progress.phase)


def _tell_standby() -> Callable[[str], None]:
    """Tells once that the command stands by, for that may last."""
    told: list[str] = []

    def tell_phase(words: str) -> None:
        if words.startswith("standing by") and not told:
            told.append(words)
            print(visible(words), file=sys.stderr, flush=True)
    return tell_phase


def _check_first(graph: Graph, wanted: RunOptions, on: str, driver: str, progress: view.View) -> None:
    """Before a Spark starts for it.

    :raise GraphError: the graph is refused
    """
    from despina.backends import executors, split
    if on == "local":
        split.check(graph, wanted, engines.start(driver, coordinates_only=True))
    elif not executors.is_started():
        with _told_if_stopped(progress), engines.checking() as checker:
            progress.phase(CHECKING)
            if split.on_spark(wanted):
                split.check(graph, wanted, checker)
            else:
                graph.check(wanted, engine=checker)


def _supervised(state: str | Path | None) -> int:
    """Stays beside the command as a process of its own, and starts it again when it was lost."""
    if state is None:
        raise RefusedError("option", "--restart always starts the job again, and it keeps no state to go on from",
                           "name a folder for it: --state DIR")
    return supervise.run(supervise.without_restart(sys.argv[1:]))


@dataclass(frozen=True)
class Files:
    """What the command writes beside the graph's output, if anything."""

    report: Path | None
    job: Path | None
    watch: Watch | None
    """Those of the graph's Python functions, which are read anew when they change."""
    timing: bool
    """Whether it tells what the time of its start went to."""


@contextmanager
def _session(master: str | None, conf: Mapping[str, str], on: str) -> Iterator[SparkSession]:
    """A Spark application of this command's own."""
    from py4j.protocol import Py4JError

    from despina.backends import executors
    from despina.backends.spark import launch
    session = executors.session(master or ("local[*]" if on == "local" else None), conf)
    try:
        yield session
    finally:
        with suppress(Py4JError, ConnectionError):      # its JVM has ended before, which the job has told
            launch.end(session)


@contextmanager
def _told_if_stopped(progress: view.View) -> Iterator[None]:
    """What goes before a job with Spark takes long enough to be stopped."""
    try:
        with progress:
            yield
    except KeyboardInterrupt:
        progress.stopped()
        raise


@contextmanager
def _engine_beside(spark: SparkSession, on: str, driver: str) -> Iterator[Engine]:
    """The engine in that Spark's executors, which ends before Spark does, or this process's own."""
    from despina.backends import executors
    if on != "executors":
        yield engines.start(driver)
        return
    with closing(executors.engine(spark)) as engine:
        yield engine


def _on_engine(graph: Graph, wanted: RunOptions, engine: Engine, files: Files, progress: view.View, as_json: bool, quiet: bool,
               spark: SparkSession | None = None, waiting: Callable[[str], None] | None = None) -> int:
    """Runs it and tells of it.

    :param spark: runs the part that the deployment places there; None if it places none
    :param waiting: told of what is waited for before there is a job
    """
    from despina.backends import split
    report = files.report
    standard = StandardStreams(output=not as_json and str(report) != "-")
    start = graph.start if spark is None else partial(split.start, graph, spark=spark)
    job = start(engine, wanted, keep_rows=False, pipes=standard.paths(), tell=waiting)
    if not as_json:
        warn(job.warnings)
    rows, unwritten = sys.stderr if "stdout" in job.pipes else _rows_to(report, as_json), None
    try:
        with _reachable(job, files.job), redirect_stdout(rows), progress, standard.copied(job):
            code, error = _wait(job, progress if not (quiet or as_json) else None, files.watch)
    finally:
        if report is not None and not (as_json and str(report) == "-"):
            unwritten = _write_report(job, report)
    if standard.failure is not None:
        raise standard.failure      # the reader has gone (`| head`), or the disk is full
    errors = [one for one in (unwritten, error) if one is not None]
    if as_json:
        print(json.dumps(_answer(_report(job) or {}, job.warnings, errors)))
    else:
        if code in (0, interrupts.EXIT_CODE, IncompleteError.exit_code):
            progress.summary(job.counters)
        if files.timing:
            for line in timeline.lines((_report(job) or {}).get("timing", {})):
                print(line, file=sys.stderr)
        for one in errors:
            tell(one)
    if error is None or isinstance(error, IncompleteError):     # another may be that nobody is left to ask
        _tell_losses(job.counters, error, wanted)
    _tell_of_spark(job, quiet)
    if code in (0, IncompleteError.exit_code) and error is None and not as_json:
        with redirect_stdout(rows):
            _show_rows(job)
    return code or int(unwritten is not None)


def _reachable(job: Job, file: Path | None) -> AbstractContextManager[Path | None]:
    return nullcontext() if file is None else job.file(file)


def _watch(graph: Graph, wanted: RunOptions, driver: str) -> Watch:
    """What the files of the graph's functions are. Of a graph that is wrong, what runs it says why.

    :raise RefusedError: the graph has no functions that could be read anew
    """
    from despina import function_texts, parts
    if parts.has_any(graph.text):
        graph = graph.whole(engines.start(driver, coordinates_only=wanted.deployment is not None))
    watch = function_texts.watch(graph.text, graph.file, wanted.modules or (), wanted.parameters)
    if not watch.operators and '"python"' not in graph.text:
        raise RefusedError("option", "--reload reads functions anew, and the graph has no `python` operator",
                           "leave out --reload")
    return watch


def _read_anew(job: Job, operators: Sequence[str], tells: bool) -> None:
    """Tells what came of it; what could not be read, always."""
    for operator in operators:
        try:
            for told in job.reload(operator):
                if tells or not told.ok:
                    print(visible(f"reload: {told.operator}[{told.instance}]: {'' if told.ok else 'not done: '}{told.answer}"),
                          file=sys.stderr)
        except RefusedError as refused:
            print(visible(f"reload: {operator}: not done: {refused.message}"), file=sys.stderr)


def _look(job: Job, found: Status, files: Watch | None, tells: bool) -> None:
    """Has functions read anew whose files have changed. While the job does not run yet or again nobody could, and a change is not
    asked for, so it is found later.
    """
    if files is not None and found.state == "running" and (changed := files.changed()):
        _read_anew(job, changed, tells)


def _wait(job: Job, progress: view.View | None, files: Watch | None) -> tuple[int, DespinaError | None]:
    """Until the job is over.

    :param progress: None if nothing is shown
    :param files: whose changes have functions read anew; None if none have
    :return: the exit code, and what went wrong
    """
    from despina.engine import START_RULES
    try:
        if progress is None and files is None:
            status = job.wait()
        else:
            shown = progress or view.Quiet()

            def look(found: Status) -> None:
                shown.update(found)
                _look(job, found, files, progress is not None)
            status = job.wait(watch=look, interrupted=shown.interrupted)
        _spare_the_end()
    except KeyboardInterrupt as interrupt:
        cause = interrupt.__cause__
        if cause is None and not job.counters.ended:    # it came before the job was waited for
            job.stop()
            code, error = _wait(job, progress, files)
            return code or interrupts.EXIT_CODE, error
        lost = isinstance(cause, IncompleteError) or (
            cause is None and not job.ended_at_once and _has_lost(job.counters))
        return IncompleteError.exit_code if lost else interrupts.EXIT_CODE, cause if isinstance(cause, DespinaError) else None
    except StartError as lost:
        if lost.rule not in START_RULES:
            # the engine was lost under the job
            code = supervise.LOST if supervise.since_ms() is not None else JobError.exit_code
            return code, JobError(lost.rule, lost.message, lost.hint)
        return lost.exit_code, lost
    except DespinaError as failure:
        return failure.exit_code, failure
    return IncompleteError.exit_code if _has_lost(status) else 0, None


def _has_lost(status: Status) -> bool:
    """Whether packets are in no row because it was stopped. What a job keeps in its state is not lost."""
    return not status.epoch and (status.undelivered > 0 or status.held > 0)


def _answer(report: dict[str, Any], warnings: Sequence[Diagnostic], errors: Sequence[DespinaError]) -> dict[str, Any]:
    """The one document of --json: the report as far as there is one, and all that was found."""
    found = [*warnings, *(diagnostic for error in errors for diagnostic in error.diagnostics)]
    return {**report, "diagnostics": [diagnostic.as_dict() for diagnostic in found]}


def _end_on_signals() -> None:
    """A stopped service and a closed terminal do as Ctrl-C does; a command under ``nohup`` ignores its terminal's end."""
    if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    if signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signal.signal(signal.SIGHUP, _hang_up)


def _spare_the_end() -> None:
    """The job is over: the next signal, which was meant for it, cuts nothing of what is told of it; the one after that does."""
    for number in interrupts.SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, lambda *_: _end_on_signals())


def _hang_up(number: int, frame: FrameType | None) -> None:
    """Nobody reads a terminal that is gone: to write there would be an error, under which the job could not drain."""
    for standard in (1, 2):
        if stat.S_ISCHR(os.fstat(standard).st_mode) and not os.isatty(standard):
            os.dup2(os.open(os.devnull, os.O_WRONLY), standard)
    signal.default_int_handler(number, frame)


def _tell_of_spark(job: Job, quiet: bool) -> None:
    if quiet or job.part is None:
        return
    for sink, count in job.part.counts.items():
        print(f"{sink}: {count:,} rows, on Spark", file=sys.stderr)
    for query in job.part.queries:
        if query.restarts:
            print(f"{query.sink}: its query on Spark was started again {query.restarts} times", file=sys.stderr)


def _tell_losses(status: Status, error: DespinaError | None, wanted: RunOptions) -> None:
    """What a job that was stopped dropped or keeps, and what lies uncommitted beside its output. An error has told the rest."""
    if status.epoch:
        _tell_kept(status, begins_elsewhere=bool(wanted.from_ or wanted.from_start or wanted.drop or wanted.rename))
        return
    if status.undelivered and error is None:
        print(f"{_packets(status.undelivered)} in flight {'was' if status.undelivered == 1 else 'were'} dropped", file=sys.stderr)
    if status.held:
        print(visible(f"dropped: {'; '.join(_held(status))}"), file=sys.stderr)
        if wanted.on_stop != "flush":
            print("hint: --on-stop flush ends a job as the end of its input does: windows fire and nothing waits; --state FOLDER "
                  "keeps it for the next run", file=sys.stderr)
    if status.left_behind and error is None:
        print(visible(f"earlier jobs: {leftovers.told(status.left_behind)}"), file=sys.stderr)


def _tell_kept(status: Status, begins_elsewhere: bool) -> None:
    """How a job that was stopped goes on. One that was told where to begin would begin there again."""
    if status.state == "done" and not status.held:
        return
    if status.held:
        print(visible(f"kept: {'; '.join(_held(status))}"), file=sys.stderr)
    epoch = int(status.epoch["complete"])
    print(visible(f"state: {status.epoch['state']} has epoch {epoch:,}" if epoch else
                  f"state: {status.epoch['state']} has no complete epoch"), file=sys.stderr)
    command = "the same command"
    if begins_elsewhere and epoch:
        command = "the command without --from, --from-start, --drop and --rename"
    print(f"hint: {command} goes on from {'there' if epoch else 'the beginning'}", file=sys.stderr)


def _held(status: Status) -> Iterator[str]:
    """By operator, the packets whose rows had not left."""
    for name, counters in status.operators.items():
        if held := counters.get("held", 0):
            windows = counters.get("open_windows", 0)
            where = "that waited" if not windows else "in 1 open window" if windows == 1 else f"in {windows:,} open windows"
            yield f"{name}: {_packets(held)} {where}"


def _packets(count: int) -> str:
    return "1 packet" if count == 1 else f"{count:,} packets"


def _refuse_unwritable(report: Path) -> None:
    """Before anything runs: whether a report can be written there."""
    if not report.parent.is_dir():
        raise RefusedError("report", f"no folder {report.parent} to write the report to")
    if report.is_dir():
        raise RefusedError("report", f"{report} is a folder, and the report is a file", f"--report {report / 'report.json'}")
    if not os.access(report if report.exists() else report.parent, os.W_OK):
        raise RefusedError("report", f"{report} cannot be written", "check its permissions")


def _rows_to(report: Path | None, as_json: bool) -> TextIO:
    """Where rows are printed: beside standard output where that is one JSON document."""
    return sys.stderr if as_json or str(report) == "-" else sys.stdout


def _report(job: Job) -> dict[str, Any] | None:
    """The job's report; none if the engine is gone, which is the error the user gets."""
    try:
        return job.report()
    except StartError:
        return None


def _write_report(job: Job, path: Path) -> DespinaError | None:
    """What barred it, if anything did: returned and not raised, for an error of the job's own may be under way."""
    report = _report(job)
    return None if report is None else _write(report, path)


def _write(report: dict[str, Any], path: Path) -> DespinaError | None:
    text = json.dumps(report, indent=2) + "\n"
    if str(path) == "-":
        sys.stdout.write(text)
        return None
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        return DespinaError("report", f"the report cannot be written: {error.strerror}", place=Place(str(path)))
    return None


def _show_rows(job: Job) -> None:
    """The first rows of each collect_sink; all of them are for Python."""
    status = job.counters
    for sink, counters in status.collected.items():
        rows = job.rows(sink)
        count = counters.get("rows", len(rows))
        print(f"{sink}: {count:,} rows" + (f", the first {SHOWN_ROWS}:" if count > SHOWN_ROWS else ""))
        for _, row in zip(range(SHOWN_ROWS), rows, strict=False):
            print(visible(f"  {json.dumps(row, default=str, ensure_ascii=False)}"))


def _process_start_ms() -> int:
    """Wall clock when this process started: what a user waits from."""
    now = time.time()
    try:
        started = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]) / os.sysconf("SC_CLK_TCK")
        age = float(Path("/proc/uptime").read_text().split()[0]) - started
    except (OSError, ValueError, IndexError):
        age = 0.0
    return round((now - max(0.0, age)) * 1000)


def _refuse_options(context: click.Context, on: str) -> None:
    """Those that would say nothing where the graph runs."""
    unused, place, hint = {
        "local": (SPARK_OPTIONS, "without Spark", "add --on executors"),
        "parted": ((), "", ""),
        "executors": (LOCAL_OPTIONS, "on executors", "leave them out: Spark knows where its driver and executors are"),
        "spark": (ENGINE_OPTIONS + SPARK_OPTIONS, "on Spark",
                  "leave them out: Spark places the work itself and reads its input to the end"),
    }[on]
    given = [parameter.opts[0] for parameter in context.command.params if parameter.name in unused
             and context.get_parameter_source(parameter.name) is ParameterSource.COMMANDLINE]
    if given:
        raise RefusedError("option", f"not used {place}: {', '.join(given)}", hint)


def _on_spark(graph: Graph, wanted: RunOptions, report: Path | None, progress: view.View, as_json: bool, quiet: bool) -> int:
    from despina.backends import spark as backend
    from despina.backends.spark import launch
    from despina.backends.spark.failures import told_if_lost
    with _told_if_stopped(progress), engines.checking() as checker:
        progress.phase(CHECKING)
        warnings = graph.check(wanted, for_spark=True, engine=checker).diagnostics
    if not as_json:
        warn(warnings)
    with _told_if_stopped(progress):
        progress.phase("starting Spark")
        session = backend.start()
    with told_if_lost():
        try:
            with redirect_stdout(_rows_to(report, as_json)):
                found = backend.run(graph, session, wanted)
        finally:
            launch.end(session)
    unwritten = None if report is None or (as_json and str(report) == "-") else _write(found, report)
    errors = [] if unwritten is None else [unwritten]
    if as_json:
        print(json.dumps(_answer(found, warnings, errors)))
        return len(errors)
    for error in errors:
        tell(error)
    if not quiet:
        for sink, counters in found["operators"].items():
            print(f"{sink}: {counters['packets_in']:,} rows", file=sys.stderr)
    return len(errors)
