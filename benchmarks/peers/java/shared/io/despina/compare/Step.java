package io.despina.compare;

/**
 * One operator of a topology, the same on every peer; each wraps it in its own kind of operator. Records are byte arrays: what
 * crosses a network is the same on all of them. One thread; order within an input is kept.
 */
public interface Step {
    /** Where results go. */
    interface Out {
        void emit(byte[] record);
    }

    /**
     * Takes one record.
     *
     * @param input which of its inputs it came by, from 0
     */
    void accept(int input, byte[] record, Out out);
}
