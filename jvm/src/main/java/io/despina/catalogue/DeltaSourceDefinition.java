package io.despina.catalogue;

import static io.despina.descriptor.FieldSpec.optional;

import io.despina.descriptor.FieldKind;

/** {@code delta_source}. */
public final class DeltaSourceDefinition extends LakeSourceDefinition {
    private static final String TEXT =
            "Reads rows of a Delta table, in a folder of this machine or in a store; docs/delta.md says more. Its library "
            + "comes with `pip install 'despina[delta]'`."
            + "\n- It reads one version, whole, and ends. With `follow` it does not end: it goes on with the rows that later "
            + "versions add."
            + "\n- The version and the place in its files are in the job's snapshots, so each row is taken once."
            + "\n- Rows come version by version, and within one file by file, the oldest first. One instance reads: "
            + "`parallelism` is 1."
            + "\n- Deletion vectors are heeded, and columns that are renamed by `name` are found. A table that its library "
            + "cannot read is refused in words.";

    DeltaSourceDefinition() {
        super(Lake.DELTA, TEXT, optional("version", new FieldKind.Whole(0, Long.MAX_VALUE), "the newest when the job first "
                + "starts", "Which version is read first."), """
                "readings": {
                  "type": "delta_source",
                  "path": "lake/readings",
                  "schema": "ts TIMESTAMP, device STRING, celsius DOUBLE",
                  "follow": true,
                  "event_time": {"column": "ts", "max_delay_ms": 60000, "order_by": ["device"]}
                }
                """);
    }
}
