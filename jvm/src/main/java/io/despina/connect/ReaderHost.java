package io.despina.connect;

/** What the engine offers to a {@link PositionReader}. */
public interface ReaderHost extends SourceHost {

    /**
     * Gives records, from any thread. Those of a partition come in order. Also without room what has been read already may be
     * given.
     */
    void put(Records records);

    /**
     * Tells users how many records of its partitions wait at the server, behind those that were given. As often as the reader
     * knows it without asking; from one thread.
     */
    default void behind(long records) {
        // who does not show it need not know
    }
}
