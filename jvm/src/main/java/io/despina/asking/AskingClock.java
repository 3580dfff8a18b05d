package io.despina.asking;

import io.despina.operator.Retries;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The time of a reader's thread, and how it waits.
 *
 * @param nanos      grows with time; no particular beginning
 * @param wallMicros microseconds since 1970. They never go back, as a job's do not
 */
record AskingClock(LongSupplier nanos, LongSupplier wallMicros, Retries.Waiting waiting) {

    static AskingClock real() {
        LongSupplier micros = () -> TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
        long offset = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()) - micros.getAsLong();
        return new AskingClock(System::nanoTime, () -> micros.getAsLong() + offset, Retries.Waiting.REAL);
    }
}
