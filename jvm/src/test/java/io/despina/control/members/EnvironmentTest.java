package io.despina.control.members;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EnvironmentTest {

    @Test
    void whatIsScheduledAfterTheEndIsLeftOut() {
        ScheduledExecutorService timer = Environment.ofProcess().timer();
        timer.shutdownNow();
        ScheduledFuture<?> late = timer.schedule(() -> { }, 1, TimeUnit.MILLISECONDS);
        assertFalse(late.isDone());
        assertTrue(late.cancel(false));
    }
}
