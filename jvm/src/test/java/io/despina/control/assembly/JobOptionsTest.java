package io.despina.control.assembly;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.despina.control.protocol.Refusal;
import org.junit.jupiter.api.Test;

class JobOptionsTest {

    @Test
    void theGivenClockSaysWhenAJobBeganAndWhatItsNowIs() throws Refusal {
        JobOptions options = JobOptions.parse("{}", () -> 1_234);
        assertEquals(1_234, options.startedAtMillis());
        assertEquals(1_234_000, options.instantMicros());
    }

    @Test
    void optionsThatSayItGoBeforeTheClock() throws Refusal {
        JobOptions options = JobOptions.parse("{\"started_at_ms\": 5, \"instant_micros\": 6}", () -> 1_234);
        assertEquals(5, options.startedAtMillis());
        assertEquals(6, options.instantMicros());
    }
}
