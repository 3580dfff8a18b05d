package io.despina.plan;

/** Where a plan is to run, as far as planning is concerned: what has no form there is an error. */
public enum Target {
    ENGINE,
    /** Spark, as batch DataFrames. */
    SPARK,
    /** Spark, as streaming DataFrames. */
    SPARK_STREAMING;

    public boolean isSpark() {
        return this != ENGINE;
    }
}
