import json
from pathlib import Path

import pytest

from despina import machine
from despina.cli.doctor import command
from despina.errors import StartError

PAIRS, CORES = 8, 18


def bullion(root: Path) -> Path:
    """The machine of UPM-CEP's figures 1 and 2: 16 nodes of 18 cores, two by two close to each other."""
    nodes = 2 * PAIRS
    write(root / "sys/devices/system/cpu/online", f"0-{nodes * CORES - 1}")
    for node in range(nodes):
        folder = root / f"sys/devices/system/node/node{node}"
        write(folder / "cpulist", f"{node * CORES}-{(node + 1) * CORES - 1}")
        write(folder / "meminfo", f"Node {node} MemTotal:       268435456 kB\nNode {node} MemFree:  1 kB")
        write(folder / "distance", " ".join("10" if other == node else "15" if other // 2 == node // 2 else "40"
                                            for other in range(nodes)))
    write(root / "proc/self/status", "Name:\tx\nCpus_allowed:\tff\nCpus_allowed_list:\t0-35\nMems_allowed_list:\t0-15")
    return root


def write(file: Path, text: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text + "\n")


def test_a_machine_of_sixteen_nodes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = machine.read(bullion(tmp_path))
    assert (found.online, found.allowed, found.quota) == ("0-287", "0-35", None)
    assert found.nodes[0] == machine.Node(0, "0-17", 256 << 30, (10, 15, *[40] * 14))
    assert [node.number for node in found.nodes] == list(range(16))
    assert found.nodes[11].distances == (*[40] * 10, 15, 10, *[40] * 4)
    assert command.main(["--machine", str(tmp_path)], standalone_mode=False) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "processors 0-287; this process may run on 0-35"
    assert lines[2].split()[:7] == ["node", "cpus", "memory", "to", "0", "to", "1"]
    assert lines[3].split()[:6] == ["0", "0-17", "274.9", "GB", "10", "15"]
    assert command.main(["--machine", str(tmp_path), "--json"], standalone_mode=False) == 0
    assert len(json.loads(capsys.readouterr().out)["nodes"]) == 16


@pytest.mark.parametrize(("file", "text", "quota"), [
    ("cpu.max", "150000 100000", 1.5), ("cpu.max", "max 100000", None), ("cpu/cpu.cfs_quota_us", "50000", 0.5),
    ("cpu/cpu.cfs_quota_us", "-1", None),
])
def test_a_container_may_give_less_than_the_machine_has(tmp_path: Path, file: str, text: str, quota: float | None) -> None:
    bullion(tmp_path)
    write(tmp_path / "sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000")
    write(tmp_path / "sys/fs/cgroup" / file, text)
    assert machine.read(tmp_path).quota == quota
    assert ("may keep" in machine.read(tmp_path).table()[0]) == (quota is not None)


def test_a_machine_without_nodes_has_one(tmp_path: Path) -> None:
    write(tmp_path / "sys/devices/system/cpu/online", "0-3")
    write(tmp_path / "proc/meminfo", "MemTotal:  1000 kB")
    assert machine.read(tmp_path) == machine.Machine("0-3", "0-3", None, (machine.Node(0, "0-3", 1_024_000, (10,)),))


def test_a_folder_that_describes_no_machine_is_named(tmp_path: Path) -> None:
    with pytest.raises(StartError, match="cpu/online: No such file"):
        machine.read(tmp_path)
    write(bullion(tmp_path) / "sys/devices/system/node/node3/distance", "10 20")
    with pytest.raises(StartError, match="has 2 numbers, and there are 16 nodes"):
        machine.read(tmp_path)


def test_this_machine_is_described() -> None:
    found = machine.read()
    assert found.nodes
    assert all(len(node.distances) == len(found.nodes) for node in found.nodes)


def test_each_node_that_may_be_used_is_a_resource_as_far_from_the_others_as_it_is(tmp_path: Path) -> None:
    found = machine.read(bullion(tmp_path))
    assert found.deployment({"memory": 90.0}) == {
        "format": 1,
        "resources": {f"node{node}": {"node": node, "machine": {"cpus": 18.0, "loops_ns": {"memory": 90.0}}} for node in (0, 1)},
        "network": [{"between": ["node0", "node1"], "mbit_per_s": 100_000, "round_trip_ms": 0.015}]}
    write(tmp_path / "proc/self/status", "Cpus_allowed_list:\t0-3,18-35,72-80")
    write(tmp_path / "sys/fs/cgroup/cpu.max", "1550000 100000")
    deployment = machine.read(tmp_path).deployment()
    cpus = {name: each["machine"]["cpus"] for name, each in deployment["resources"].items()}
    assert cpus == {"node0": 2, "node1": 9, "node4": 4.5}
    assert [(*way["between"], way["round_trip_ms"]) for way in deployment["network"]] == [
        ("node0", "node1", 0.015), ("node0", "node4", 0.04), ("node1", "node4", 0.04)]


def test_a_machine_of_one_node_is_one_resource_that_is_bound_to_none(tmp_path: Path) -> None:
    write(tmp_path / "sys/devices/system/cpu/online", "0-3")
    assert machine.read(tmp_path).deployment() == {"format": 1, "resources": {"node0": {"machine": {"cpus": 4.0}}}}
