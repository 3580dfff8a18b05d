package io.despina.spark.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class ReadersTest {
    private static final Readers.Output ROWS = new Readers.Output("here", 1, "job-1", "rows");
    private static final String ONE = "one/sources/0";
    private static final String OTHER = "other/sources/0";
    private static final String OTHER_SIDE = "other/sources/1";

    private final Readers readers = new Readers();

    private long[] done(String place, int queries, long... rows) {
        return readers.done(ROWS, place, new RowOffset("g", rows), queries);
    }

    @Test
    void oneAloneHasItsRowsCutAtOnce() {
        readers.join(ROWS, ONE, this);
        assertArrayEquals(new long[] {3, 5}, done(ONE, 1, 3, 5));
        readers.join(new Readers.Output("here", 1, "job-1", "others"), OTHER, this);
        assertArrayEquals(new long[] {4, 6}, done(ONE, 1, 4, 6));
    }

    @Test
    void whatAnotherHasNotHadStays() {
        readers.join(ROWS, ONE, this);
        readers.join(ROWS, OTHER, this);
        assertNull(done(ONE, 1, 3, 5), "nobody knows how far the other is");
        assertArrayEquals(new long[] {2, 5}, done(OTHER, 1, 2, 7));
        assertArrayEquals(new long[] {2, 7}, done(ONE, 1, 9, 9));
        readers.leave(ROWS, OTHER, 1);
        assertArrayEquals(new long[] {9, 9}, done(ONE, 1, 9, 9));
        assertNull(done(OTHER, 1, 9, 9), "it has stopped");
    }

    @Test
    void nothingIsCutBeforeAllQueriesHaveBegun() {
        readers.join(ROWS, OTHER, this);
        readers.join(ROWS, OTHER_SIDE, this);
        assertNull(done(OTHER, 2, 3));
        assertNull(done(OTHER_SIDE, 2, 4));
        readers.join(ROWS, ONE, this);
        assertNull(done(OTHER, 2, 5));
        assertArrayEquals(new long[] {1}, done(ONE, 2, 1));
        assertArrayEquals(new long[] {4}, done(ONE, 2, 9));
    }

    @Test
    void oneOfSeveralQueriesMayComeBackForItsRows() {
        readers.join(ROWS, ONE, this);
        readers.join(ROWS, OTHER, this);
        done(ONE, 2, 1);
        assertArrayEquals(new long[] {1}, done(OTHER, 2, 5));
        readers.leave(ROWS, ONE, 2);
        assertArrayEquals(new long[] {1}, done(OTHER, 2, 7));
        readers.join(ROWS, ONE, this);
        assertArrayEquals(new long[] {7}, done(ONE, 2, 8));
    }

    @Test
    void rowsOfAnotherRunSayNothing() {
        readers.join(ROWS, ONE, this);
        readers.join(ROWS, OTHER, this);
        done(ONE, 1, 5);
        assertNull(readers.done(ROWS, OTHER, new RowOffset("later", new long[] {2}), 1));
        assertArrayEquals(new long[] {2}, readers.done(ROWS, ONE, new RowOffset("later", new long[] {3}), 1));
    }
}
