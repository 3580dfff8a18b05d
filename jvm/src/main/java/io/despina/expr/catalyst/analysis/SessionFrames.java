package io.despina.expr.catalyst.analysis;

import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Spark frames, brought from one session to another of the same Spark. */
public final class SessionFrames {

    private SessionFrames() {
    }

    /** The same rows as a frame of {@code session}. The plan was analysed, and keeps its meaning whatever is set there. */
    public static Dataset<Row> of(SparkSession session, Dataset<Row> rows) {
        return org.apache.spark.sql.classic.Dataset.ofRows((org.apache.spark.sql.classic.SparkSession) session,
                ((org.apache.spark.sql.classic.Dataset<Row>) rows).queryExecution().analyzed());
    }
}
