package io.despina.spark.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.despina.spool.SpoolState;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadersTest {
    private static final Readers.Output ROWS = new Readers.Output("here", 1, "job-1", "rows");
    private static final String ONE = "one/sources/0";
    private static final String OTHER = "other/sources/0";
    private static final String OTHER_SIDE = "other/sources/1";

    private final Readers readers = new Readers();

    private Readers.OutputReader join(String place, int queries) {
        return readers.join(ROWS, place, queries, this);
    }

    private static long[] done(Readers.OutputReader reader, long... rows) {
        return reader.done(new RowOffset("g", rows));
    }

    @Test
    void oneAloneHasItsRowsCutAtOnce() {
        Readers.OutputReader one = join(ONE, 1);
        assertArrayEquals(new long[] {3, 5}, done(one, 3, 5));
        readers.join(new Readers.Output("here", 1, "job-1", "others"), OTHER, 1, this);
        assertArrayEquals(new long[] {4, 6}, done(one, 4, 6));
    }

    @Test
    void whatAnotherHasNotHadStays() {
        Readers.OutputReader one = join(ONE, 1);
        Readers.OutputReader other = join(OTHER, 1);
        assertNull(done(one, 3, 5), "nobody knows how far the other is");
        assertArrayEquals(new long[] {2, 5}, done(other, 2, 7));
        assertArrayEquals(new long[] {2, 7}, done(one, 9, 9));
        other.leave();
        assertArrayEquals(new long[] {9, 9}, done(one, 9, 9));
        assertNull(done(other, 9, 9), "it has stopped");
    }

    @Test
    void nothingIsCutBeforeAllQueriesHaveBegun() {
        Readers.OutputReader other = join(OTHER, 2);
        Readers.OutputReader side = join(OTHER_SIDE, 2);
        assertNull(done(other, 3));
        assertNull(done(side, 4));
        Readers.OutputReader one = join(ONE, 2);
        assertNull(done(other, 5));
        assertArrayEquals(new long[] {1}, done(one, 1));
        assertArrayEquals(new long[] {4}, done(one, 9));
    }

    @Test
    void oneOfSeveralQueriesMayComeBackForItsRows() {
        Readers.OutputReader one = join(ONE, 2);
        Readers.OutputReader other = join(OTHER, 2);
        done(one, 1);
        assertArrayEquals(new long[] {1}, done(other, 5));
        one.leave();
        assertArrayEquals(new long[] {1}, done(other, 7));
        assertNull(done(one, 2), "it has committed behind its stop, and cuts nothing any more");
        assertArrayEquals(new long[] {2}, done(other, 7));
        Readers.OutputReader again = join(ONE, 2);
        assertNull(done(other, 8), "nobody knows where it goes on");
        assertArrayEquals(new long[] {7}, done(again, 7));
        one.leave();
        assertArrayEquals(new long[] {8}, done(again, 9), "what was there before has no say");
    }

    @Test
    void oneThatStoppedIsNotWaitedForOnceOthersAreThereInItsPlace() {
        Readers.OutputReader one = join(ONE, 2);
        Readers.OutputReader other = join(OTHER, 2);
        done(one, 1);
        done(other, 5);
        one.leave();
        Readers.OutputReader anew = join("anew/sources/0", 2);
        assertArrayEquals(new long[] {3}, done(anew, 3));
    }

    @Test
    void aStreamBeginsBehindWhatAnotherIsAboutToCut() {
        Readers.OutputReader one = join(ONE, 1);
        assertArrayEquals(new long[] {7}, done(one, 7));
        Readers.OutputReader other = join(OTHER, 1);
        assertArrayEquals(new long[] {7}, other.first("g", new long[] {2}));
        assertArrayEquals(new long[] {8}, other.first("g", new long[] {8}));
        assertArrayEquals(new long[] {2}, other.first("later", new long[] {2}));
        one.failed();
        assertArrayEquals(new long[] {2}, other.first("g", new long[] {2}));
    }

    @Test
    void nobodyIsAskedAnyMoreOnceAllRowsAreTaken() {
        Readers.OutputReader one = join(ONE, 2);
        Readers.OutputReader other = join(OTHER, 2);
        one.ended("g", List.of(new SpoolState(3, 9, 90, true)));
        done(one, 9);
        assertNull(one.taken("g"));
        assertArrayEquals(new long[] {9}, done(other, 9));
        assertEquals(List.of(new SpoolState(9, 9, 90, true)), one.taken("g"));
        assertNull(one.taken("later"));
        assertNull(done(one, 9), "they are cut");
        other.failed();
        assertNull(one.taken("g"));
        assertArrayEquals(new long[] {9}, done(one, 9));
    }

    @Test
    void rowsOfAnotherRunSayNothing() {
        Readers.OutputReader one = join(ONE, 1);
        Readers.OutputReader other = join(OTHER, 1);
        done(one, 5);
        assertNull(other.done(new RowOffset("later", new long[] {2})));
        assertArrayEquals(new long[] {2}, one.done(new RowOffset("later", new long[] {3})));
    }
}
