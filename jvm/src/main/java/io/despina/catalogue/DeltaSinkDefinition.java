package io.despina.catalogue;

/** {@code delta_sink}. */
public final class DeltaSinkDefinition extends LakeSinkDefinition {
    private static final String TEXT =
            "Appends rows to a Delta table, in a folder of this machine or in a store; docs/delta.md says more. Its library "
            + "comes with `pip install 'despina[delta]'`."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete. Then one version of the "
            + "table takes them all in, with the epoch's number. So each row is there once."
            + "\n- With `delivery` at_least_once rows are taken in at each epoch, and in a job without state each "
            + "`roll_every_ms` and at its end."
            + "\n- A table that is not there is made. One that is there has the stream's columns, of the same types; columns "
            + "that it has besides are NULL."
            + "\n- Others may write to it meanwhile.";

    DeltaSinkDefinition() {
        super(Lake.DELTA, TEXT, """
                "kept": {"type": "delta_sink", "path": "lake/readings"}
                """);
    }
}
