package io.despina.operator;

/**
 * An operator that holds packets back for a time. Watermarks and idleness must not overtake them, so it passes these on itself,
 * by {@link Output#watermark} and {@link Output#idle}. It is the first of its task's chain, because only there the end of the
 * input can wait.
 *
 * <p>{@link #end} is called also when the job is stopped, and answers false while it holds packets: they leave by
 * {@link #timer}, which goes on being called. What the time for draining does not suffice for is {@link #held}.
 */
public interface Holding extends Operator {

    /** All inputs are idle. */
    void idle() throws Exception;
}
