package io.despina.packet;

import java.io.DataOutput;
import java.io.IOException;

/**
 * Takes the bytes of a value that has lists which may become very long. A snapshot writes the elements of such a list that it has
 * already written no second time: it puts them apart from the value, some in each part.
 *
 * <pre>
 * list = what its owner writes, which begins with a number that is not negative (4); or, if the first elements are apart,
 *        -1 (4) · id of the list (4) · how many are apart (4) · the others, as a list
 * </pre>
 *
 * {@link ListInput} reads it back.
 */
public interface ListOutput extends DataOutput {
    /** Stands for the number that is not negative. */
    int APART = -1;
    /** How many elements are written apart at a time. */
    int PART = 64;

    /** Writes elements of a list. */
    @FunctionalInterface
    interface ElementWriter {

        /** Writes those in {@code [from, to)}, now or later. */
        void write(int from, int to, DataOutput out) throws IOException;

        /** Whether one of those in {@code [from, to)}, a part, is not as it was when it was last kept. */
        default boolean hasChanged(int from, int to) {
            return false;
        }

        /** Those in {@code [from, to)}, a part, are written later, as they are now. */
        default void keep(int from, int to) {
        }
    }

    /**
     * A list begins, to which elements are only added at the end. Those that change are told by {@code elements}.
     *
     * @param list     the same object as long as it is the same list
     * @param elements of the list; called later, when it may have more, and perhaps the value has it no more
     * @return how many of the first elements the caller does not write
     */
    int apart(Object list, int size, ElementWriter elements) throws IOException;

    /**
     * The same for any output: most take no elements apart.
     *
     * @return how many of the first elements the caller does not write: it goes on with a list of the others
     */
    static int apart(DataOutput out, Object list, int size, ElementWriter elements) throws IOException {
        return out instanceof ListOutput lists ? lists.apart(list, size, elements) : 0;
    }
}
