package io.despina.catalogue;

import static io.despina.descriptor.FieldSpec.optional;

import io.despina.descriptor.FieldKind;

/** {@code iceberg_source}. */
public final class IcebergSourceDefinition extends LakeSourceDefinition {
    private static final String TEXT =
            "Reads rows of an Iceberg table, in a folder of this machine or in a catalog; docs/iceberg.md says more. Its "
            + "library comes with `pip install 'despina[iceberg]'`."
            + "\n- It reads one snapshot, whole, and ends. With `follow` it does not end: it goes on with the rows that later "
            + "snapshots add."
            + "\n- The snapshot's number and the place in its files are in the job's snapshots, so each row is taken once."
            + "\n- Rows come snapshot by snapshot, and within one file by file, the oldest first. One instance reads: "
            + "`parallelism` is 1."
            + "\n- Columns are found by the ids that the table has for them, so one that is renamed is found in older files. A "
            + "table that cannot be read is refused in words.";

    IcebergSourceDefinition() {
        super(Lake.ICEBERG, TEXT, optional("snapshot_id", new FieldKind.Whole(0, Long.MAX_VALUE), "the newest when the job first "
                + "starts", "Which snapshot is read first."), """
                "readings": {
                  "type": "iceberg_source",
                  "path": "lake/readings",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "follow": true,
                  "event_time": {"column": "ts", "max_delay_ms": 60000, "order_by": ["device"]}
                }
                """);
    }
}
