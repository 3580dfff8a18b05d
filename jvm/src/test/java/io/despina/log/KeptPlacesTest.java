package io.despina.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class KeptPlacesTest {
    private final KeptPlaces places = new KeptPlaces();

    private long epoch(long number, long at) {
        places.barrier(number, at);
        return places.complete(number);
    }

    @Test
    void theOldestKeptEpochSaysWhatIsNotNeeded() {
        assertEquals(0, epoch(1, 10));
        assertEquals(0, epoch(2, 20));
        assertEquals(10, epoch(3, 30));
        assertEquals(20, epoch(4, 40));
    }

    @Test
    void anEpochThatWasDroppedIsNotKept() {
        epoch(1, 10);
        places.barrier(2, 20);
        assertEquals(0, epoch(3, 30));
        assertEquals(10, epoch(4, 40));
        assertEquals(30, epoch(5, 50));
    }

    @Test
    void whatIsCompletedAgainChangesNothing() {
        epoch(1, 10);
        assertEquals(0, places.complete(1));
        assertEquals(0, places.complete(1));
    }
}
