package io.despina.expr;

/** Compiled code, shared; each task takes an instance of its own, since instances hold state. */
@FunctionalInterface
public interface Compiled<F> {

    /** Does what takes long, so that instances are made quickly. */
    default void prepare() {
    }

    /** @param partition the task's index in its operator, from 0: seeds non-deterministic expressions, as Spark's partition does */
    F instance(int partition);
}
