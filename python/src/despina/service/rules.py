"""What a graph from outside may name: files below the roots, variables of the environment on a list, code that is allowed.

The texts have passed ``check``, so their form is known. What names a file, a variable or code is a matter of the field's name,
and a test holds these names against the schema of graphs.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from despina.errors import Diagnostic, Place

PATHS = frozenset({"path", "password_file", "token_file", "secret_key_file", "client_secret_file", "credentials_file",
                   "certificate", "trust", "job", "secret_file", "tls"})
TLS_KEY = "/tls/key"
URL_PATHS = frozenset({"http_source", "websocket_source"})
"""Operators whose ``path`` is that of a URL."""
FREE = frozenset({"properties", "options", "settings"})
"""Objects whose members are those of a library: what looks like a file of this machine is taken for one."""
FILE_OPTIONS = frozenset({"schemafile"})
"""Members of those that always name a file, in lower case."""
CODE_OPTION = re.compile(r"jaas|classes$|\.class$|class\.name|interceptor|reporters|providers|deserializer|serializer")
ELSEWHERE = ("hdfs", "webhdfs", "swebhdfs", "s3a", "s3", "s3n", "abfs", "abfss", "wasb", "wasbs", "gs", "adl", "oci", "ofs",
             "o3fs")
FILE_DATABASES = re.compile(r"jdbc:(?:(sqlite|derby|duckdb|hsqldb|h2|ucanaccess)(?::|$))(.*)", re.IGNORECASE | re.DOTALL)
JOB_FILE_PATHS = ("secret_file", "tls")
"""What another job's file may name, too."""
MOST_JOB_FILE = 1 << 16
"""Bytes; what is larger is none."""
MOST_MATCHES = 10_000
MOST_ALTERNATIVES = 1_000
"""Paths that the braces of one may stand for."""
_PARAMETER = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")
_CLIMBS = re.compile(r"(?:^|[/\\{,])\.\.(?:$|[/\\},])")
_GLOB = re.compile(r"[*?\[{]")


@dataclass(frozen=True)
class Rules:
    """What is allowed.

    :ivar roots: folders below which absolute paths may lie
    :ivar classes: of Java: names, prefixes that end with ``.*``, or ``*``
    :ivar python: modules, ``module:name``, prefixes that end with ``*``, or ``*``
    :ivar env: variables of the environment: names, or prefixes that end with ``*``
    """

    roots: Sequence[Path] = ()
    classes: Sequence[str] = ()
    python: Sequence[str] = ()
    env: Sequence[str] = ()

    def broken(self, text: str, file: str, parameters: Mapping[str, str], deployment: str | None,
               folder: Path | None = None) -> tuple[Diagnostic, ...]:
        """What a graph names and may not; also what has another form than ``check`` lets pass, of which that cannot be said.

        :param folder: what relative paths are of; None where that does not matter yet
        """
        try:
            return tuple(self._broken(text, file, parameters, deployment, folder))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            return (Diagnostic("allowed", f"what the graph names cannot be told: {error}", hint="despina check finds why",
                               place=Place(file)),)

    def _broken(self, text: str, file: str, parameters: Mapping[str, str], deployment: str | None,
                folder: Path | None) -> Iterator[Diagnostic]:
        content = json.loads(text)
        if "parts" in content:
            raise ValueError("it has parts that are not written out")
        defaults = {name: spec.get("default") for name, spec in (content.get("parameters") or {}).items()}
        values = {name: str(value) for name, value in {**defaults, **parameters}.items() if value is not None}
        look = _Look(self, folder, lambda written: _PARAMETER.sub(lambda found: values.get(found[1], found[0]), written))
        for operator, spec in content["operators"].items():
            for pointer, rule, message, hint in look.operator(spec, f"/operators/{operator}"):
                yield Diagnostic(rule, message, hint=hint, place=Place(file), pointer=pointer, operator=operator)
        for pointer, rule, message, hint in look.value(content.get("links") or [], "/links", ""):
            yield Diagnostic(rule, message, hint=hint, place=Place(file), pointer=pointer)
        if deployment is not None:
            for pointer, rule, message, hint in look.resources(json.loads(deployment)):
                yield Diagnostic(rule, message, hint=hint, place=Place("deployment"), pointer=pointer)

    def allows_class(self, name: str) -> bool:
        """Whether a class may be loaded."""
        return any(allowed == "*" or name == allowed or (allowed.endswith(".*") and name.startswith(allowed[:-1]))
                   for allowed in self.classes)

    def allows_function(self, name: str) -> bool:
        """Whether a function ``module:name`` may run."""
        return any(name == allowed or name.partition(":")[0] == allowed
                   or (allowed.endswith("*") and name.startswith(allowed[:-1])) for allowed in self.python)

    def allows_module(self, path: str) -> bool:
        """Whether a file of Python may be in a bundle: one function of its module, at least, may run."""
        parts = path.removesuffix(".py").split("/")
        module = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        return any(fnmatch.fnmatchcase(module, allowed.partition(":")[0]) or allowed.partition(":")[0].startswith(f"{module}.")
                   or (allowed.endswith("*") and module.startswith(allowed[:-1].rstrip("."))) for allowed in self.python)

    def allows_variable(self, name: str) -> bool:
        """Whether a variable of the environment may be read."""
        return any(name == allowed or (allowed.endswith("*") and name.startswith(allowed[:-1])) for allowed in self.env)

    def path_problem(self, written: str, folder: Path | None) -> str:
        """Why a path may not be named, in words; empty if it may."""
        scheme, sign, _ = written.partition(":")
        if sign and re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]+", scheme):
            if scheme.lower() in ELSEWHERE:
                return ""
            if scheme.lower() != "file":
                return f"the scheme {scheme} is not one of those that a service opens"
            written = _local(written)
        if "\0" in written:
            return "it has a byte that no path has"
        if "\\" in written:
            return "it has a backslash, by which a pattern hides what it names"
        try:
            paths = {written, *_alternatives(written)}
        except ValueError as error:
            return str(error)
        return next(filter(None, (self._problem(path, folder) for path in sorted(paths))), "")

    def _problem(self, written: str, folder: Path | None) -> str:
        """Why a path may not be named that stands for itself and what its pattern finds."""
        if _CLIMBS.search(written):
            return "it has `..`, which climbs out"
        if written.startswith("/"):
            return self._absolute_problem(written)
        if folder is None or _leads_below(written, folder, [_real(folder)]):
            return ""
        return "a symbolic link leads out of the job's folder"

    def _absolute_problem(self, written: str) -> str:
        roots = [_real(root) for root in self.roots]
        if not roots:
            return "no absolute path may be named here"
        if _leads_below(written.lstrip("/"), Path("/"), roots):
            return ""
        return f"it is not below {' or '.join(map(str, self.roots))}, or a symbolic link leads out"


ROOT_HINT = "despina serve --root DIR allows what is below DIR; a relative path is of the job's own folder"
Found = Iterator[tuple[str, str, str, str]]
"""Pointer, rule, message, hint."""


class _Look:
    """Walks through what a graph has."""

    def __init__(self, rules: Rules, folder: Path | None, filled: Callable[[str], str]) -> None:
        """:param filled: puts values in place of parameters"""
        self._rules = rules
        self._folder = folder
        self._filled = filled

    def operator(self, spec: Mapping[str, Any], pointer: str) -> Found:
        """What is wrong with an operator. Beside the address of a service ``job`` is a name, and no file."""
        named = {name: value for name, value in spec.items() if not (name == "job" and "service" in spec)}
        yield from self.value(named, pointer, str(spec.get("type")))

    def value(self, value: Any, pointer: str, kind: str) -> Found:
        """What is wrong with a value of it, and all below that."""
        if isinstance(value, Mapping):
            for name, each in value.items():
                inside = f"{pointer}/{name}"
                if name in FREE and isinstance(each, Mapping) and not kind.startswith("python"):
                    yield from self._free(each, inside)
                elif name.endswith("_env"):
                    yield from self._variables(each, inside)
                elif isinstance(each, str):
                    yield from self._text(name, self._filled(each), inside, kind)
                else:
                    yield from self.value(each, inside, kind)
        elif isinstance(value, list):
            for number, each in enumerate(value):
                yield from self.value(each, f"{pointer}/{number}", kind)

    def _text(self, name: str, text: str, pointer: str, kind: str) -> Found:
        if name in PATHS or pointer.endswith(TLS_KEY):
            refused = [] if name == "path" and kind in URL_PATHS else [*self._path(text, pointer)]
            yield from refused
            if name == "job" and not refused:       # nobody is told of a file that may not be named
                yield from self._job_file(text, pointer)
        elif name == "class" and not self._rules.allows_class(text):
            yield pointer, "allowed", f"the class {text} may not be loaded here", "despina serve --allow-classes NAME allows it"
        elif name == "function" and kind.startswith("python") and not self._rules.allows_function(text):
            yield (pointer, "allowed", f"the Python function {text} may not run here",
                   "despina serve --allow-python MODULE allows it")
        elif name == "url" and (database := FILE_DATABASES.match(text)):
            yield from self._database(database[1].lower(), database[2], pointer)

    def _path(self, text: str, pointer: str) -> Found:
        if text != "-" and (why := self._rules.path_problem(text, self._folder)):
            yield pointer, "path", f"path={text!r}: {why}", ROOT_HINT

    def _job_file(self, text: str, pointer: str) -> Found:
        """What another job's file names, where it is there already: the engine opens that, too."""
        if self._folder is None and _relative(_local(text)):
            return      # it is of a folder that is not there yet
        place = Path(self._folder or "/") / _local(text)
        try:
            if not place.is_file():
                return      # a job waits for it
            with place.open("rb") as file:
                content = json.loads(file.read(MOST_JOB_FILE))
            named = {name: content[name] for name in JOB_FILE_PATHS if content.get(name) is not None}
        except (OSError, ValueError, AttributeError, RecursionError) as error:
            yield pointer, "path", f"the file {text!r} is no job file: {error}", "despina run GRAPH --job-file FILE writes one"
            return
        for name, path in named.items():
            if why := self._rules.path_problem(str(path), None) or _relative(str(path)):
                yield pointer, "path", f"the job file {text!r} names {name}={path!r}: {why}", ROOT_HINT

    def _database(self, kind: str, rest: str, pointer: str) -> Found:
        """A database that is a file, or a program in one."""
        place = rest.lstrip(":").partition("?")[0].partition(";")[0]
        if kind == "sqlite" and "://" not in place and place != ":memory:":
            yield from self._path(place, pointer)
        elif not (kind in ("h2", "hsqldb", "derby") and re.match(r"(mem|tcp|ssl|hsqls?|https?|memory):", place + ":")
                  and ";" not in rest):
            yield (pointer, "path", f"a database of {kind} in a file of the service's machine",
                   "use one that is a server, or SQLite")

    def _variables(self, value: Any, pointer: str) -> Found:
        for name in [value] if isinstance(value, str) else value.values() if isinstance(value, Mapping) else ():
            if not self._rules.allows_variable(self._filled(str(name))):
                yield (pointer, "allowed", f"the variable {name} of the environment may not be read here",
                       "despina serve --allow-env NAME allows it")

    def _free(self, members: Mapping[str, Any], pointer: str) -> Found:
        for name, value in members.items():
            yield from self._setting(name, value, f"{pointer}/{name}")

    def _setting(self, name: str, value: Any, pointer: str) -> Found:
        """A member of a library's own, by its name or, further inside, by all names above it."""
        if isinstance(value, Mapping):
            for inner, each in value.items():
                yield from self._setting(f"{name}.{inner}", each, f"{pointer}/{inner}")
            return
        if isinstance(value, list):
            for number, each in enumerate(value):
                yield from self._setting(name, each, f"{pointer}/{number}")
            return
        text = self._filled(str(value))
        if CODE_OPTION.search(name.lower()) and not self._rules.allows_class(text):
            yield (pointer, "allowed", f"{name} names code, and {text} may not be loaded here",
                   "despina serve --allow-classes NAME allows it")
        elif name.lower().rpartition(".")[2] in FILE_OPTIONS or _looks_like_a_file(text):
            yield from self._path(text, pointer)

    def resources(self, content: Mapping[str, Any]) -> Found:
        """What is wrong with a deployment."""
        for name, spec in content["resources"].items():
            for number, jar in enumerate(spec.get("jars") or ()):
                if why := self._rules.path_problem(str(jar), None) or _relative(str(jar)):
                    yield f"/resources/{name}/jars/{number}", "path", f"jar={jar!r}: {why}", "a jar below a --root of the service"
            for number, allowed in enumerate(spec.get("allow_classes") or ()):
                if allowed not in self._rules.classes and not self._rules.allows_class(str(allowed).removesuffix(".*")):
                    yield (f"/resources/{name}/allow_classes/{number}", "allowed", f"classes {allowed} may not be loaded here",
                           "despina serve --allow-classes NAME allows it")
            if "python" in spec and "*" not in self._rules.python:
                yield (f"/resources/{name}/python", "allowed", f"the program {spec['python']} may not run here",
                       "leave it out: functions run by the service's own Python; despina serve --allow-python '*' allows others")
        report = (content.get("placing") or {}).get("from")
        if report is not None:
            yield from self._path(str(report), "/placing/from")


def _local(written: str) -> str:
    """The path that one with the scheme ``file`` stands for; another as it is."""
    scheme, sign, rest = written.partition(":")
    return unquote("/" + rest.lstrip("/")) if sign and scheme.lower() == "file" else written


def _relative(path: str) -> str:
    """Why a path may not be named that must not depend on where the engine runs; empty if it may."""
    return "" if path.startswith("/") else "it is relative"


def _looks_like_a_file(text: str) -> bool:
    """Whether a library's setting may be a file that is not of the job's folder."""
    return (text.startswith("/") and len(text) > 1) or text.lower().startswith("file:") \
        or _CLIMBS.search(text.replace("\\", "")) is not None


def _alternatives(written: str) -> list[str]:
    """What the braces of a path stand for: one path for each choice.

    :raise ValueError: a brace has no other, or there are too many choices
    """
    whole, left = [], [written]
    while left:
        path = left.pop()
        end = path.find("}")
        begin = path.rfind("{", 0, end) if end >= 0 else path.find("{")
        if end < 0 and begin < 0:
            whole.append(path)
        elif end < 0 or begin < 0:
            raise ValueError("one of its braces has no other")
        else:       # an innermost pair
            left += [path[:begin] + choice + path[end + 1:] for choice in path[begin + 1:end].split(",")]
        if len(whole) + len(left) > MOST_ALTERNATIVES:
            raise ValueError(f"its braces stand for more than {MOST_ALTERNATIVES} paths")
    return whole


def _leads_below(written: str, base: Path, roots: list[Path]) -> bool:
    """Whether a path of a folder, and all that its pattern finds now, lies below one of the roots."""
    return all(_is_below(_real(place), roots) for place in (base / _whole(written), *_matches(written, base)))


def _whole(written: str) -> str:
    """The part of a relative path in front of its first name with a sign of a glob."""
    found = _GLOB.search(written)
    return written if found is None else written[:found.start()].rpartition("/")[0]


def _matches(written: str, base: Path) -> list[Path]:
    """What a glob finds now."""
    if not _GLOB.search(written):
        return []
    try:
        return list(islice(base.glob(written.replace("[^", "[!")), MOST_MATCHES))
    except (ValueError, OSError):
        return []


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_below(path: Path, roots: Iterable[Path]) -> bool:
    return any(path == root or root in path.parents for root in roots)
