"""What is handed to machines on which a service is left on."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shutil
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlsplit

import click
import pytest
import yaml

from despina import installed, interrupts
from despina.cli import run, serve
from despina.errors import IncompleteError, JobError, RefusedError
from despina.service import metrics
from despina.service.store import Record
from despina.version import VERSION

NAME = re.compile(r"\bdespina_[a-z0-9_]+")
ROOT = Path(__file__).resolve().parents[1]
UNIT = (ROOT / "deploy/despina.service").read_text(encoding="utf-8")
PAGE = (ROOT / "docs/deployment.md").read_text(encoding="utf-8")
RUN_UNIT = PAGE[PAGE.index("```ini\n") + len("```ini\n"):].partition("```")[0]
"""Of the page: a graph that is started again."""
DRAIN_S = 10
"""What a run is given for it, where nobody says otherwise."""


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze of systemd judges the unit")
@pytest.mark.parametrize("text", [UNIT, RUN_UNIT], ids=["serve", "run"])
def test_the_unit_is_one_of_systemd(text: str, tmp_path: Path) -> None:
    program = tmp_path / "despina"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    unit = tmp_path / "despina.service"
    text = text.replace("WorkingDirectory=/srv/despina", f"WorkingDirectory={tmp_path}")
    unit.write_text(text.replace("/opt/despina/bin/despina", str(program)).replace("User=despina", "User=root")
                    .replace("Group=despina", "Group=root"))
    found = subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True, check=False)
    told = [line for line in found.stderr.splitlines() if "despina" in line]
    assert (found.returncode, told) == (0, [])
    unit.write_text(re.sub("Type=(notify|exec)", "Type=notfy", text))
    assert "notfy" in subprocess.run(["systemd-analyze", "verify", "--man=no", unit], capture_output=True, text=True,
                                     check=False).stderr


@pytest.mark.parametrize(("text", "command"), [(UNIT, serve.command), (RUN_UNIT, run.command)], ids=["serve", "run"])
def test_the_unit_starts_the_command_with_options_that_it_has(text: str, command: click.Command) -> None:
    line, = re.findall(r"^ExecStart=(.*)$", text, re.MULTILINE)
    words = line.split()
    assert words[1] == command.name
    known = {name for option in command.params for name in option.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_a_graph_that_is_a_unit_is_started_again_where_that_helps() -> None:
    told = dict(re.findall(r"^(\w+)=(.*)$", RUN_UNIT, re.MULTILINE))
    assert {int(code) for code in told["RestartPreventExitStatus"].split()} == {JobError.exit_code, RefusedError.exit_code}
    assert {int(code) for code in told["SuccessExitStatus"].split()} == {interrupts.EXIT_CODE, IncompleteError.exit_code}
    assert (told["Restart"], told["KillMode"]) == ("on-failure", "mixed")
    assert int(told["TimeoutStopSec"]) >= DRAIN_S + 20, "a drain has its time"
    assert f"/var/lib/{told['StateDirectory']}" in told["ExecStart"].split()


def test_the_service_has_longer_to_drain_than_its_jobs_and_tells_when_it_is_ready() -> None:
    from despina.service.server import ServeOptions
    timeout = int(re.findall(r"^TimeoutStopSec=(\d+)$", UNIT, re.MULTILINE)[0])
    assert timeout >= ServeOptions(Path()).drain_s + 20
    assert "Type=notify" in UNIT


def declared() -> dict[str, set[str]]:
    """What the service tells, by the names of its samples: the labels of each."""
    def counted(group: Sequence[metrics.Declared]) -> dict[str, Any]:
        return {each.key: 1 if each.of == "value" else [1] for each in group}
    values = {each.key: 1 for group, label, _ in metrics.GROUPS if not label for each in group}
    status = {**values, "epoch": values, "operators": {"o": {**counted(metrics.OPERATORS), "counters": {"c": 1}}},
              "links": {"l": counted(metrics.LINKS)}, "collected": {"s": counted(metrics.SINKS)},
              "resources": {"r": counted(metrics.RESOURCES)}}
    job = SimpleNamespace(record=Record("j", 1, "g"), state="submitted", status=lambda at_most_s: status)
    families = list(metrics.Snapshot([cast(Any, job)], "").collect())
    return {sample.name: set(sample.labels) for family in families for sample in family.samples}


def told(expression: str) -> list[str]:
    """Names of metrics in an expression, without the label of that beginning."""
    return [name for name in NAME.findall(expression) if name != "despina_job"]


BOARD = json.loads((ROOT / "deploy/grafana.json").read_text(encoding="utf-8"))
ALERTS = yaml.safe_load((ROOT / "deploy/alerts.yml").read_text(encoding="utf-8"))
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
EXPRESSIONS = [*(rule["expr"] for rule in RULES), *(target["expr"] for panel in BOARD["panels"] for target in panel["targets"])]


def test_boards_and_alerts_ask_for_what_the_service_tells() -> None:
    known = declared()
    for expression in EXPRESSIONS:
        names = told(expression)
        assert names, expression
        assert set(names) <= known.keys(), expression
        labels = {label for name in names for label in known[name]} | {"instance"}
        grouped = {label.strip() for inside in re.findall(r"(?:by|on) \(([^)]*)\)", expression) for label in inside.split(",")}
        asked = set(re.findall(r"[{,]\s*(\w+)=", expression))
        assert grouped | asked <= labels, expression
    variable = next(each for each in BOARD["templating"]["list"] if each["name"] == "job")
    assert set(told(variable["query"])) <= known.keys()


def test_a_panel_is_on_its_own_place_and_names_what_its_metric_has() -> None:
    known = declared()
    taken: set[tuple[int, int]] = set()
    for panel in BOARD["panels"]:
        place = panel["gridPos"]
        cells = {(x, y) for x in range(place["x"], place["x"] + place["w"]) for y in range(place["y"], place["y"] + place["h"])}
        assert not cells & taken, panel["title"]
        assert max(x for x, _ in cells) < 24
        taken |= cells
        for target in panel["targets"]:
            labels = {label for name in told(target["expr"]) for label in known[name]}
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= labels
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])


def test_an_alert_says_how_bad_it_is_and_names_labels_that_are_left() -> None:
    assert len({rule["alert"] for rule in RULES}) == len(RULES) > 5
    for rule in RULES:
        assert rule["labels"]["severity"] in ("critical", "warning")
        words = " ".join(rule["annotations"].values())
        named = set(re.findall(r"\$labels\.(\w+)", words))
        grouped = re.search(r"\bby \(([^)]*)\)", rule["expr"])
        if grouped:
            assert named <= {label.strip() for label in grouped[1].split(",")}, rule["alert"]


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool of Debian's package prometheus judges the rules")
def test_promtool_reads_every_expression(tmp_path: Path) -> None:
    plain = [text.replace("$__rate_interval", "1m").replace("$job", ".*") for text in EXPRESSIONS]
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps({"groups": [{"name": "g", "rules": [{"record": f"r{number}", "expr": text}
                                                                    for number, text in enumerate(plain)]}]}))
    for file in (rules, ROOT / "deploy/alerts.yml"):
        found = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True, check=False)
        assert found.returncode == 0, found.stdout + found.stderr


CONTAINER = [line for line in re.sub(r"\\\n", " ", (ROOT / "deploy/Containerfile").read_text(encoding="utf-8")).splitlines()
             if line and not line.startswith("#")]
COMPOSE = yaml.safe_load((ROOT / "deploy/compose.yaml").read_text(encoding="utf-8"))
PROMETHEUS = yaml.safe_load((ROOT / "deploy/prometheus.yml").read_text(encoding="utf-8"))


def last(instruction: str) -> str:
    """What the image has of it: the last one counts."""
    return [line.partition(" ")[2] for line in CONTAINER if line.startswith(f"{instruction} ")][-1]


def words(instruction: str) -> list[str]:
    found: list[str] = json.loads(last(instruction))
    return found


def test_the_image_starts_the_command_with_options_that_it_has_and_nobody_is_root() -> None:
    known = {line.split()[0] for line in CONTAINER}
    assert known == {"FROM", "COPY", "RUN", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK",
                     "ENTRYPOINT", "CMD"}
    asked = [*words("ENTRYPOINT"), *words("CMD")]
    assert asked[:2] == ["despina", serve.command.name]
    assert {word for word in asked if word.startswith("--")} <= {name for option in serve.command.params for name in option.opts}
    assert last("USER").split(":") == ["10001", "10001"]
    assert last("STOPSIGNAL") == "SIGTERM"
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted, = re.findall(r"\.whl\)\[([a-z,]+)\]", " ".join(CONTAINER))
    assert set(wanted.split(",")) <= extras.keys()


def test_the_image_copies_and_removes_what_is_there() -> None:
    stages = dict(re.findall(r"^FROM (\S+) AS (\w+)$", "\n".join(CONTAINER), re.MULTILINE))
    assert set(stages) == {line.split()[1] for line in CONTAINER if line.startswith("FROM ")}, "one Python for both stages"
    made = " ".join(line for line in CONTAINER if line.startswith("RUN "))
    let_in = [line.removeprefix("!") for line in (ROOT / "deploy/Containerfile.dockerignore").read_text().splitlines()
              if line.startswith("!")]
    for _, source, *rest in (line.split() for line in CONTAINER if line.startswith("COPY ")):
        if source.startswith("--from="):
            assert source.removeprefix("--from=") in stages.values()
            assert f"venv --without-pip {rest[0]}" in made
        else:
            folder, _, wheel = source.partition("/")
            assert folder in let_in
            assert fnmatch.fnmatch(f"despina-{VERSION}-py3-none-any.whl", wheel)
            assert f"echo {rest[0]}despina-*.whl" in made
    removed = re.findall(r"site-packages/(\S+)", made)
    assert removed
    packages = Path(str(find_spec("pyspark").origin)).parents[1]      # type: ignore[union-attr]
    assert [path for path in removed if not (packages / path).is_dir()] == []


def test_the_image_asks_the_service_whether_it_lives() -> None:
    url = re.findall(r"DESPINA_HEALTH=(\S+)", last("ENV"))[0]
    hosts = [word for before, word in pairwise(words("CMD")) if before == "--host"]
    assert urlsplit(url).netloc in hosts, "else the service refuses the name"
    command = json.loads(last("HEALTHCHECK").partition("CMD ")[2])
    compile(command[2], "healthcheck", "exec")
    with health_server() as port:
        asked = subprocess.run([sys.executable, "-c", command[2]], check=False, capture_output=True,
                               env={**os.environ, "DESPINA_HEALTH": f"http://127.0.0.1:{port}/health/live"})
        sick = subprocess.run([sys.executable, "-c", command[2]], check=False, capture_output=True,
                              env={**os.environ, "DESPINA_HEALTH": f"http://127.0.0.1:{port}/else"})
    assert (asked.returncode, sick.returncode) == (0, 1)


@contextmanager
def health_server() -> Iterator[int]:
    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path == "/health/live" else 503)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass
    server = HTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server.server_port
    server.shutdown()
    thread.join()
    server.server_close()


def test_jars_that_no_jvm_loads_are_listed() -> None:
    unused = {str(jar) for jar in installed.unused_jars()}
    assert unused
    assert not unused & set(installed.class_path())
    assert {str(jar) for jar in installed.spark_jars().glob("*.jar")} - unused <= set(installed.class_path())


def test_containers_have_little_of_their_machine_and_time_to_drain() -> None:
    from despina.service.server import ServeOptions
    ours = COMPOSE["services"]["despina"]
    assert ours["read_only"] is True
    assert int(ours["stop_grace_period"].removesuffix("s")) >= ServeOptions(Path()).drain_s + 20
    assert any("exec" in options.split(",") for place, _, options in [ours["tmpfs"][0].partition(":")] if place == "/tmp")
    for name, each in COMPOSE["services"].items():
        assert each["cap_drop"] == ["ALL"], name
        assert each["security_opt"] == ["no-new-privileges:true"], name
        assert all(port.startswith("127.0.0.1:") for port in each["ports"]), name
        assert not each["image"].endswith(":latest"), name
        assert (":" in each["image"]) == ("build" not in each), name
        for mount in each["volumes"]:
            source, target = mount.split(":")[:2]
            made = ("./tls", "./tls/certificate.pem", "./prometheus.token")     # which the page has one make
            assert source in COMPOSE["volumes"] or source in made or (ROOT / "deploy" / source).is_file(), mount
            assert target.startswith("/"), mount
    written = {mount.split(":")[1] for mount in ours["volumes"] if not mount.endswith(":ro")}
    assert written == set(words("VOLUME"))


def test_prometheus_asks_the_service_by_a_name_that_it_has() -> None:
    job, = PROMETHEUS["scrape_configs"]
    target = job["static_configs"][0]["targets"][0]
    assert target in [word for before, word in pairwise(words("CMD")) if before == "--host"]
    assert target.partition(":")[0] in COMPOSE["services"]
    inside = {mount.split(":")[1] for mount in COMPOSE["services"]["prometheus"]["volumes"]}
    assert {job["authorization"]["credentials_file"], job["tls_config"]["ca_file"]} <= inside
    assert {f"/etc/prometheus/{file}" for file in PROMETHEUS["rule_files"]} <= inside
    for each in COMPOSE["configs"].values():
        assert yaml.safe_load(each["content"])["apiVersion"] == 1


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool of Debian's package prometheus judges the settings")
def test_promtool_reads_the_settings() -> None:
    found = subprocess.run(["promtool", "check", "config", "--syntax-only", ROOT / "deploy/prometheus.yml"], capture_output=True,
                           text=True, check=False)
    assert found.returncode == 0, found.stdout + found.stderr


def test_the_page_and_the_files_name_the_same() -> None:
    page = (ROOT / "docs/leave-it-on.md").read_text(encoding="utf-8")
    assert f"chown -R {last('USER')} tls" in page
    assert "subjectAltName=DNS:despina,DNS:localhost" in page
    assert set(re.findall(r"docker compose \w+ (?:--\w+ )*(despina)?", page)) <= {"", *COMPOSE["services"]}
