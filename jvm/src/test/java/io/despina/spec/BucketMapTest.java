package io.despina.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketMapTest {

    @Test
    void startsEvenAndOnlyWithThoseThatTakePart() {
        BucketMap map = BucketMap.even(8, 2, 4);
        assertEquals("0-3", map.bucketsOf(0));
        assertEquals("4-7", map.bucketsOf(1));
        assertEquals("", map.bucketsOf(2));
        assertTrue(map.takesPart(1));
        assertFalse(map.takesPart(2));
        assertEquals("version 0, 2 of 4 at the start: 0-3=0 4-7=1", map.text());
    }

    @Test
    void aMoveMakesTheNextVersion() {
        BucketMap before = BucketMap.even(8, 2);
        BucketMap after = before.moved(Map.of(1, 1, 5, 0));
        assertEquals("version 1, 2 of 2 at the start: 0=0 1=1 2-3=0 4=1 5=0 6-7=1", after.text());
        assertEquals(Set.of(0), before.givers(after, 1));
        assertEquals(Set.of(1), before.takers(after, 0));
        assertEquals(Set.of(), before.givers(before, 0));
        assertEquals("0, 2-3, 5", after.bucketsOf(0));
        assertEquals(0, before.owner(1), "the map before the move stays as it is");
        assertTrue(after.moved(Map.of(1, 0, 5, 1)).hasOwnersOf(before));
        assertFalse(after.hasOwnersOf(before));
    }

    @Test
    void isReadAsItWasWritten() {
        Random random = new Random(1);
        for (int k = 0; k < 200; k++) {
            int instances = 1 + random.nextInt(5);
            BucketMap map = BucketMap.even(1 + random.nextInt(40), 1 + random.nextInt(instances), instances);
            for (int move = random.nextInt(20); move > 0; move--) {
                map = map.moved(Map.of(random.nextInt(map.buckets()), random.nextInt(instances)));
            }
            BucketMap read = BucketMap.parse(map.text());
            assertEquals(map.text(), read.text());
            assertTrue(read.hasOwnersOf(map));
            assertEquals(map.version(), read.version());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "version 0, 2 of 4 at the start:", "version 0, 2 of 4 at the start: 0-3=0 5-7=1",
            "version 0, 2 of 4 at the start: 0-3=4", "version 0, 2 of 4 at the start: 3-1=0", "version x"})
    void whatIsNoMapIsRefused(String text) {
        assertThrows(IllegalArgumentException.class, () -> BucketMap.parse(text));
    }

    @Test
    void aJobGoesOnWithAMapOfItsShape() {
        BucketMap start = BucketMap.even(8, 2, 4);
        BucketMap moved = start.moved(Map.of(0, 3));
        assertSame(moved, start.goingOn(moved));
        assertSame(start, start.goingOn(null));
        for (BucketMap other : Set.of(BucketMap.even(8, 2, 3), BucketMap.even(8, 3, 4), BucketMap.even(16, 2, 4))) {
            assertSame(start, start.goingOn(other));
        }
    }

    @Test
    void aTaskGoesOverAtTheMarkOfTheMoveAndAtNoOther() {
        BucketMap start = BucketMap.even(8, 2);
        BucketMaps maps = new BucketMaps("x", start);
        assertSame(start, maps.behind(5, start));
        BucketMap next = start.moved(Map.of(0, 1));
        maps.prepare(-9, next);
        assertSame(start, maps.behind(5, start));
        assertSame(next, maps.behind(-9, start));
    }
}
