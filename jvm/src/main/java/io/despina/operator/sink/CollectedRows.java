package io.despina.operator.sink;

/** Where a collect sink's packets go: a bounded buffer that the user's program empties. */
@FunctionalInterface
public interface CollectedRows {

    /** Takes whole packets, one after the other; waits while there is no room, so the sink's task must be one that may block. */
    void take(byte[] packets) throws InterruptedException;
}
