package io.despina.spec;

import static io.despina.spec.Never.NEVER;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class PointsTest {
    @Property
    void theFirstPointFromATimeOn(@ForAll @IntRange(min = 1, max = 20) int every, @ForAll @IntRange(max = 100) int offset,
            @ForAll @LongRange(min = -200, max = 200) long time) {
        Points points = new Points(every, offset, NEVER);
        long first = time;
        while ((first - offset) % every != 0) {
            first++;
        }
        assertEquals(first, points.from(time));
        assertEquals(points.from(first + 1), points.after(first));
    }

    @Property
    void atTheEndsOfTimeNothingOverflows(@ForAll @LongRange(min = 1) long every, @ForAll @LongRange(min = 0) long offset,
            @ForAll @LongRange(min = 0) long ends, @ForAll long time) {
        Points points = new Points(every, offset, ends);
        assertTrue(points.from(time) >= time);
        assertTrue(points.after(points.from(time)) >= points.from(time));
        assertTrue(points.end(time) >= Math.min(time, Long.MAX_VALUE - 1) && points.end(time) < Long.MAX_VALUE);
    }

    @Test
    void distancesAreChecked() {
        assertThrows(IllegalArgumentException.class, () -> new Points(0, 0, NEVER));
        assertThrows(IllegalArgumentException.class, () -> new Points(1, 0, -1));
    }
}
