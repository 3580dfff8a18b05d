package io.despina.connect;

/**
 * Some records of one partition, in order: a view that moves from one to the next. One thread makes it, another one reads it.
 * A call of {@link #next} must precede the first record.
 */
public interface Records extends RecordContent {
    /**
     * Behind the partition's name where there is no record, and only the position has moved, over what the server does not give.
     * The partition counts as silent still.
     */
    String MOVED = " moved";
    /** The same where the position has passed all that {@link PositionReader.Start} said was waiting, and no record was there. */
    String DRAINED = " drained";

    /** The partition, as it is called in {@link PositionReader#open}; maybe with a word behind it, see above. */
    String partition();

    /** Memory that all of them take, in bytes. */
    long bytes();

    /** Goes to the next record, if there is one. */
    boolean next();

    /** The position of the current record: from there it comes first. */
    String at();

    /**
     * The position behind the current record; behind all that the reader has passed over too, when there is no next one; of the
     * first record, before {@link #next} was called.
     */
    String behind();

    /** Whether the partition ends with these records, in a source that reads to the end. */
    boolean isLast();
}
