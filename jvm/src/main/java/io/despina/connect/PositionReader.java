package io.despina.connect;

import java.io.Closeable;
import java.util.List;
import java.util.Map;

/**
 * Reads the partitions of a server that numbers its records, for one instance of a source. A position is a text that the reader
 * alone understands: the place from which it gives all that follows.
 *
 * <p>Calls come from one thread at a time: {@link #open}, {@link #start}, then {@link #acknowledge} and {@link #stop}, finally
 * {@link #close}. Between {@code start} and {@code close} a thread of the reader's own gives what it reads to its
 * {@link ReaderHost}. While that has no room, it reads nothing, but keeps its connection alive.
 */
public interface PositionReader extends Closeable {

    /**
     * Where a partition is read from.
     *
     * @param partition a name without spaces
     * @param isWaiting whether records wait there now: their times count from the start
     */
    record Start(String partition, String position, boolean isWaiting) {
    }

    /**
     * Connects, and decides which partitions this instance reads, and from where. Of each partition exactly one instance of
     * {@link ReaderHost#parallelism} must think that it is its own. Blocks.
     *
     * @param known   where earlier attempts of the job were, by partition, maybe also of other instances: these positions are
     *                gone on from, whether the server lists the partition just now or not
     * @param resumed whether the job goes on: then a partition that is not among {@code known} is new, and is read from its first
     *                record
     * @return its partitions with positions: numbers, and no word such as latest
     * @throws Exception soon, if the server cannot be reached or will not do; the message names the field to look at
     */
    List<Start> open(Map<String, String> known, boolean resumed) throws Exception;

    /** Begins to read. */
    void start();

    /** Reads nothing more; what the host was given still counts. */
    void stop();

    /**
     * An epoch is complete, and the job goes on from these positions or later ones. For those who watch the server; the reader
     * itself never depends on it. Does not block.
     */
    default void acknowledge(Map<String, String> positions) {
        // most servers need not be told
    }
}
