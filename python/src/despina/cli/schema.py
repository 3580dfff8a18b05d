"""``despina schema``: the schema of a file, as Spark infers it, of a message, or a whole source for what is at a server."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from despina.cli import options
from despina.errors import Place, RefusedError

if TYPE_CHECKING:
    from despina import servers

FORMATS = {".csv": "csv", ".tsv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".desc": "protobuf"}
CHARSETS = ("utf-8", "iso-8859-1", "us-ascii")
LINES = 10_000
BYTES = 4 << 20
"""What is read at most, of an unpacked file; the line that this cuts is left out."""


@click.command("schema")
@click.argument("what", metavar="FILE|URL")
@click.option("--format", "form", type=click.Choice(["csv", "json", "text", "raw", "protobuf"]),
              help="Default: by the file's name, or by the messages.")
@click.option("--header/--no-header", default=None,
              help="Whether the first line of a csv file names the columns. Default: yes.")
@click.option("--sep", help="The separator of csv values. Default: a comma, or a tab for .tsv; of messages, what divides them.")
@click.option("--option", "further", metavar="NAME=VALUE", multiple=True,
              help="Another of Spark's reader options, as in file_source; may be repeated.")
@click.option("--field", "fields", metavar="NAME=VALUE", multiple=True,
              help="With a URL: a field of the source, as its login, in JSON or as a text; may be repeated.")
@click.option("--wait", "wait_s", type=click.FloatRange(min=0), default=10.0, metavar="SECONDS", show_default=True,
              help="With a URL: how long messages are waited for.")
@options.JARS
@options.DRIVER
@click.option("--json", "as_json", is_flag=True,
              help="Print a whole file_source for a graph, or the errors, as one JSON object. A URL's source is always whole.")
def command(what: str, form: str | None, header: bool | None, sep: str | None, further: tuple[str, ...], fields: tuple[str, ...],
            wait_s: float, jars: tuple[Path, ...], driver: str, as_json: bool) -> int:
    """Print the schema of FILE as DDL for a file_source, inferred by Spark from its first lines (at most 10,000, 4 MiB).

    What comes after them may be of another type: then the job says where. Of a folder or a glob the first file is read, and
    columns that folders name, as day=2024-03-01 does, come last.

    Of a descriptor file of Protobuf (.desc), print the columns of a message: --option messageName=plant.Reading names it, if the
    file has several.

    With a URL, print a whole source for a graph: kafka://host:port/topic, mqtt://host/filter, nats://host/stream and
    redis://host/stream by at most 100 messages, opc.tcp://host/path?nodes=/Plant/*/Temperature by the values that the nodes have,
    jdbc:postgresql://host/database?table=readings, delta:PATH and iceberg:PATH by the table's columns. Nothing changes at the
    server.
    """
    from despina import servers
    if servers.is_url(what):
        if header is not None:
            raise RefusedError("option", "messages and tables have no header", "leave --header out")
        if form == "protobuf":
            raise RefusedError("option", "what is in a message of Protobuf is in its descriptor file", "despina schema FILE.desc")
        asked = servers.Asked(what, _fields(fields), form, sep, options.parameters(further, "--option"), wait_s, jars)
        return _server(asked, driver)
    if fields or jars:
        raise RefusedError("option", "--field and --jar are for a URL", "kafka://…, mqtt://…, nats://…, redis://…, opc.tcp://…, "
                           "jdbc:…, delta:… or iceberg:…")
    if form in ("text", "raw"):
        raise RefusedError("option", f"--format {form} needs no schema", "a file_source of text has one column `value`")
    if form == "protobuf" or (form is None and FORMATS.get(Path(what).suffix.lower()) == "protobuf"):
        if header is not None or sep is not None:
            raise RefusedError("option", "protobuf has no header and no separator", "leave them out")
        return _message(Path(what), options.parameters(further, "--option"), driver, as_json)
    return _file(Path(what), form, header, sep, further, driver, as_json)


def _server(asked: servers.Asked, driver: str) -> int:
    from despina import engine, servers
    found = servers.source(asked, engine.start(driver))
    for note in found.notes:
        _note(note)
    print(json.dumps(found.source, indent=2, ensure_ascii=False))
    return 0


def _fields(given: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name, text in options.parameters(given, "--field").items():
        try:
            found[name] = json.loads(text)
        except ValueError:
            found[name] = text
    return found


def _file(path: Path, form: str | None, header: bool | None, sep: str | None, further: tuple[str, ...], driver: str,
          as_json: bool) -> int:
    from despina import engine
    file, folders = path, dict[str, str]()
    if path.is_dir() or (not path.exists() and re.search(r"[*?\[{]", str(path))):
        first, folders = engine.start(driver, coordinates_only=True).find(str(path.absolute()))
        if first is None:
            raise RefusedError("schema", "no file has a record", "", Place(str(path)))
        file = Path(first)
    form = form or _format(file)
    if form == "json" and (header is not None or sep is not None):
        raise RefusedError("option", "json has no header and no separator", "--format csv")
    reader = options.parameters(further, "--option")
    if form == "csv":
        reader = {**_csv(file, header, sep), **reader}
    text = _head(file, reader.get("encoding", reader.get("charset", "utf-8")))
    try:
        inferred = engine.start(driver, coordinates_only=True).infer(text, form, reader)
    except RefusedError as error:
        raise RefusedError(error.rule, error.message, error.hint, Place(str(file))) from None
    twice = [name for name in folders if _has(inferred.schema, name)]
    schema = ",".join([inferred.schema, *(f"{_named(name)} {kind}" for name, kind in folders.items() if name not in twice)])
    source = {"type": "file_source", "path": str(path), "format": form, "options": reader, "schema": schema}
    if twice and inferred.by_place:
        raise RefusedError("schema", f"`{twice[0]}` is in the header and comes from folders, and other names of the header are "
                           "empty or come twice: no source can read both", "rename the columns in the header", Place(str(file)))
    if twice and form == "csv":
        source["columns_by"] = "name"
        _note(f'`{twice[0]}` comes from folders and is in the file too: add "columns_by": "name"')
    if inferred.by_place:
        source["options"] = {name: value for name, value in reader.items() if name.lower() != "enforceschema"} | {
            "enforceSchema": "true"}
        _note("a name of the header is empty or comes twice, so columns go by their place: "
              'add "enforceSchema": "true" to the options')
    if inferred.extra_columns:
        source["extra_columns"] = "ignore"
        _note('lines have more columns than the schema, which are left out: add "extra_columns": "ignore"')
    print(json.dumps(source, indent=2, ensure_ascii=False) if as_json else schema)
    return 0


def _message(path: Path, reader: dict[str, str], driver: str, as_json: bool) -> int:
    from despina import engine
    found = engine.start(driver, coordinates_only=True).infer("", "protobuf", {**reader, "descriptorFile": str(path.absolute())})
    for field in found.left_out:
        _note(f"`{field}` has no column: it is a message without fields, or one within itself")
    source = {"format": "protobuf", "options": {**reader, "descriptorFile": str(path), "messageName": found.message},
              "schema": found.schema}
    print(json.dumps(source, indent=2, ensure_ascii=False) if as_json else found.schema)
    return 0


def _has(schema: str, name: str) -> bool:
    """Whether one of the columns has the name, in upper or lower case."""
    return re.search(rf"(^|,)`?{re.escape(name.replace('`', '``'))}`? ", schema, re.IGNORECASE) is not None


def _named(name: str) -> str:
    """A column's name as DDL."""
    return name if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) else "`" + name.replace("`", "``") + "`"


def _note(text: str) -> None:
    click.echo(f"despina: {text}", err=True)


def _format(file: Path) -> str:
    found = FORMATS.get(_ending(file))
    if found is None:
        raise RefusedError("option", f"{file.name} does not say whether it is csv or json", "--format csv")
    return found


def _ending(file: Path) -> str:
    return Path(file.name.removesuffix(".gz")).suffix.lower()


def _csv(file: Path, header: bool | None, sep: str | None) -> dict[str, str]:
    sep = "\t" if sep is None and _ending(file) == ".tsv" else sep
    return {**({} if header is False else {"header": "true"}), **({} if sep is None else {"sep": sep})}


def _head(file: Path, encoding: str) -> str:
    """The first whole lines.

    :raise RefusedError: the file cannot be unpacked or decoded, or a job could not read its text
    """
    try:
        with gzip.open(file) if file.suffix == ".gz" else file.open("rb") as stream:
            data = stream.read(BYTES)
    except (gzip.BadGzipFile, EOFError) as error:
        raise RefusedError("file", f"the gzip file is damaged or incomplete: {error}", "", Place(str(file))) from None
    if len(data) == BYTES:
        data = data[:data.rfind(b"\n") + 1]
    try:
        text = data.decode("utf-8-sig" if encoding.lower() == "utf-8" else encoding)
    except LookupError:
        raise RefusedError("encoding", f"no encoding {encoding!r}", "--option encoding=ISO-8859-1") from None
    except UnicodeDecodeError as error:
        raise RefusedError("encoding", f"byte {error.object[error.start]:#04x} is not {encoding}", "--option encoding=ISO-8859-1",
                           Place(str(file))) from None
    if encoding.lower() not in CHARSETS:
        raise RefusedError("encoding", f"a job cannot read text in {encoding}",
                           f"Spark knows {', '.join(CHARSETS)}; convert the file: iconv -f {encoding} -t UTF-8")
    return "\n".join(text.split("\n", LINES)[:LINES])
