package io.despina.catalogue;

/** {@code iceberg_sink}. */
public final class IcebergSinkDefinition extends LakeSinkDefinition {
    private static final String TEXT =
            "Writes rows to an Iceberg table, in a folder of this machine or in a catalog; docs/iceberg.md says more. Its "
            + "library comes with `pip install 'despina[iceberg]'`."
            + "\n- In a job that keeps its state, rows wait in a log until their epoch is complete. Then one snapshot of the "
            + "table takes them all in, and a property of the table has the epoch's number. So each row is there once."
            + "\n- With `delivery` at_least_once rows are taken in at each epoch, and in a job without state each "
            + "`roll_every_ms` and at its end."
            + "\n- A table that is not there is made. One that is there has the stream's columns, of the same types; columns "
            + "that it has besides are NULL."
            + "\n- A folder is laid out as Iceberg's Hadoop catalog does it.";

    IcebergSinkDefinition() {
        super(Lake.ICEBERG, TEXT, """
                "kept": {"type": "iceberg_sink", "path": "lake/readings"}
                """);
    }
}
