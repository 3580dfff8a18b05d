package io.despina.connect;

/** What the engine offers to a {@link PositionReader}. */
public interface ReaderHost extends SourceHost {

    /**
     * Gives records, from any thread. Those of a partition come in order. Also without room what has been read already may be
     * given.
     */
    void put(Records records);
}
