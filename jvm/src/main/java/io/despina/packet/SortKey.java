package io.despina.packet;

/**
 * A column that packets are sorted by.
 *
 * @param column    its ordinal
 * @param nullsLast wherever the direction would have them
 */
public record SortKey(int column, boolean descending, boolean nullsLast) {

    /** As Spark sorts where nothing is said: NULL before all others. */
    public static SortKey ascending(int column) {
        return new SortKey(column, false, false);
    }
}
