package io.despina.plan;

import io.despina.spec.OnError;
import java.util.Set;

/** An operator that can leave unread output columns NULL, except the last {@link #own}. */
public interface Prunable extends OperatorSpec {

    /** Whether it may do so with that {@code on_error}. */
    boolean isPrunable(OnError onError);

    /** Whether it may leave out columns that this operator after it does not read. */
    boolean prunesFor(OperatorSpec reader);

    /** The number of columns at the end that it always fills. */
    int own();

    /** A copy that leaves these columns NULL. */
    OperatorSpec without(Set<Integer> unread);
}
