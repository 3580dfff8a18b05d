"""Which rows of a job a stream of Spark's gives back, where Spark has no jar of ours."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from pyspark.sql.streaming.datasource import ReadAllAvailable
from pyspark.sql.types import StructType

from despina.backends.connect import source
from despina.backends.connect.peer import Job, Located, State


@dataclass
class Instance:
    rows: int
    first: int = 0
    ended: bool = False
    gone: bool = False

    def state(self) -> State:
        assert not self.gone
        return State(self.first, self.rows, self.ended)

    def cut(self, row: int) -> None:
        assert not self.gone
        self.first = row


def test_the_last_row_of_each_instance_stays_until_the_end_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    instances = [Instance(10), Instance(4)]
    monkeypatch.setattr(source, "Rows", lambda job, located, instance: instances[instance])
    reader = source.JobStreamReader(Job("127.0.0.1:1", "job", "secret", ""), Located("rows", ("a", "b"), "g", "id BIGINT", 1),
                                    StructType(), 0)

    def left_by(*rows: int) -> list[int]:
        reader.commit({"generation": "g", "rows": list(rows)})
        return [each.first for each in instances]

    assert left_by(0, 2) == [0, 2]
    assert left_by(10, 3) == [9, 3]
    instances[0].ended = True
    assert left_by(10, 4) == [9, 3]
    instances[1].ended = True
    assert left_by(10, 4) == [10, 4]
    for each in instances:
        each.gone = True
    assert left_by(10, 4) == [10, 4]
    last = {"generation": "g", "rows": [10, 4]}
    assert reader.latestOffset(last, ReadAllAvailable()) == last
