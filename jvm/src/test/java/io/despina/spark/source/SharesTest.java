package io.despina.spark.source;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import org.junit.jupiter.api.Test;

class SharesTest {

    @Test
    void allIsTakenWhereThereIsNoMore() {
        assertArrayEquals(new long[] {5, 9}, Shares.of(7, new long[] {2, 5}, new long[] {5, 9}));
    }

    @Test
    void theLimitIsKeptToTheRow() {
        assertArrayEquals(new long[] {3, 6}, Shares.of(9, new long[] {0, 0}, new long[] {100, 200}));
        assertArrayEquals(new long[] {1, 0, 0}, Shares.of(1, new long[3], new long[] {10, 10, 10}));
        assertArrayEquals(new long[] {8, 4, 6}, Shares.of(10, new long[] {0, 4, 4}, new long[] {10, 5, 7}));
    }

    @Test
    void anInstanceWithoutRowsGivesNone() {
        assertArrayEquals(new long[] {4, 13}, Shares.of(9, new long[] {4, 4}, new long[] {4, 1000}));
    }
}
