package io.despina.expr;

/** Shared compiled code. Each task takes its own instance, because instances hold state. */
@FunctionalInterface
public interface Compiled<F> {

    /** Does the slow work in advance, so that instances are made quickly. */
    default void prepare() {
    }

    /** The code as bytes for {@link Expressions#code}; null if it has no form as bytes, or differs from job to job. */
    default byte[] code() {
        return null;
    }

    /**
     * @param partition the task's index in its operator, from 0: seeds non-deterministic expressions, as Spark's partition does
     */
    F instance(int partition);
}
