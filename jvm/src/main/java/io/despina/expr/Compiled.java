package io.despina.expr;

/** Compiled code, shared; each task takes an instance of its own, since instances hold state. */
@FunctionalInterface
public interface Compiled<F> {

    /** Does what takes long, so that instances are made quickly. */
    default void prepare() {
    }

    /**
     * The code as bytes, which {@link Expressions#code} takes back; null if it has no form as bytes, or is another in each job.
     */
    default byte[] code() {
        return null;
    }

    /**
     * @param partition the task's index in its operator, from 0: seeds non-deterministic expressions, as Spark's partition does
     */
    F instance(int partition);
}
