package io.despina.connect;

/**
 * Some records of one partition, in order: a view that moves from one to the next. One thread makes it, another one reads it.
 * A call of {@link #next} must precede the first record.
 */
public interface Records extends RecordContent {
    /** What they tell of their partition. */
    enum Passage {
        /** There are records, or the partition ends here. */
        READ,
        /** There is none: only the position has moved, over what the server does not give. The partition is silent still. */
        MOVED,
        /** The same, and the position has passed all that {@link PositionReader.Start} said was waiting. */
        DRAINED
    }

    default Passage passage() {
        return Passage.READ;
    }

    /** The partition, as it is called in {@link PositionReader#open}. */
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
