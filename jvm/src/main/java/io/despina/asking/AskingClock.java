package io.despina.asking;

import io.despina.operator.Retries;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time of a reader's thread, and how it waits.
 *
 * @param nanos      grows with time; no particular beginning
 * @param wallMicros microseconds since 1970
 */
record AskingClock(LongSupplier nanos, LongSupplier wallMicros, Retries.Waiting waiting) {
    static final AskingClock REAL = new AskingClock(System::nanoTime,
            () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()), Retries.Waiting.REAL);
}
