package io.despina.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.http.HttpHeaders;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RetryAfterTest {
    private static final String NOW = "Sun, 29 Nov 2026 12:00:00 GMT";

    private static long seconds(String after, String date) {
        return TimeUnit.NANOSECONDS.toSeconds(RetryAfter.nanos(HttpHeaders.of(Map.of("Retry-After", List.of(after),
                "Date", List.of(date)), (name, value) -> true)));
    }

    @Test
    void itIsANumberOfSecondsOrADate() {
        assertEquals(7, seconds("7", NOW));
        assertEquals(90, seconds("Sun, 29 Nov 2026 12:01:30 GMT", NOW));
        assertEquals(0, seconds("Sun, 29 Nov 2026 11:00:00 GMT", NOW));
        assertEquals(0, seconds("Sun, 29 Nov 2026 12:01:30 GMT", ""));
        assertEquals(0, seconds("soon", NOW));
        assertEquals(0, RetryAfter.nanos(HttpHeaders.of(Map.of(), (name, value) -> true)));
    }
}
