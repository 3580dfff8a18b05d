package io.despina.plan;

import io.despina.spec.OnError;
import java.util.Set;

/** An operator that can leave columns NULL that nobody reads: those of its output, but for the last {@link #own}. */
public interface Prunable extends OperatorSpec {

    /** Whether it may, under that {@code on_error}. */
    boolean isPrunable(OnError onError);

    /** Whether it may leave out what an operator behind it does not read. */
    boolean prunesFor(OperatorSpec reader);

    /** How many columns at the end it always makes. */
    int own();

    /** The same, but for these columns. */
    OperatorSpec without(Set<Integer> unread);
}
