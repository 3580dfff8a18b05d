package io.despina.operator.program;

/** Where a collect sink's packets go: a bounded buffer that the user's program empties. */
@FunctionalInterface
public interface CollectedRows {

    /** Takes whole packets, one after the other. Blocks while there is no room, so the sink's task must be allowed to block. */
    void take(byte[] packets) throws InterruptedException;
}
