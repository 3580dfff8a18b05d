package io.despina.expr;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import org.junit.jupiter.api.Test;

class RecentTest {

    @Test
    void keepsTheLatest() {
        Recent<String, Integer> recent = new Recent<>(2);
        recent.put("a", 1);
        recent.put("b", 2);
        assertEquals(1, recent.get("a"));
        recent.put("c", 3);
        assertNull(recent.get("b"), "asked for longest ago");
        assertEquals(1, recent.get("a"));
        assertEquals(3, recent.get("c"));
    }
}
