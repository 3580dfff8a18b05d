package io.despina.api;

/**
 * A {@link RowOperator} that says: it does nothing outside of the graph, so no harm is done when rows are given to it again after
 * a restart. The engine cannot see that for itself, and names in {@code check} each operator that does not promise it.
 */
public interface PureOperator extends RowOperator {
}
