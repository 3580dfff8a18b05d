package io.despina.api;

/**
 * A {@link RowSink} that says: nobody sees a row before {@link #commit} of its epoch, and an epoch that is committed again
 * changes nothing. The engine cannot see that for itself, and says in {@code check} that rows may come twice where a sink does
 * not promise it.
 */
public interface TransactionalSink extends RowSink {
}
