package io.despina.control.protocol;

/**
 * Kept rows of an instance of a sink, by their numbers, which no attempt changes.
 *
 * @param first the number of the first
 * @param rows  how many they are
 * @param last  whether the job, as long as it runs, has no others
 */
public record RowRange(int instance, long first, int rows, boolean last) {

    /** The number behind the last. */
    public long end() {
        return first + rows;
    }
}
