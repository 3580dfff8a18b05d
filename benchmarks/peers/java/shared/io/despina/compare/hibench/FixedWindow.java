package io.despina.compare.hibench;

import io.despina.compare.Feeder;
import io.despina.compare.Meter;
import io.despina.compare.Settings;
import io.despina.compare.Step;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * HiBench's fixed window: per address and 30 seconds the first time and the count. Visit i is of address i × 7919 mod 10,000 at
 * i × 100 µs, so what each window must give is known: every address once, each 30 times.
 */
final class FixedWindow {
    static final long ADDRESSES = 10_000;
    private static final long STRIDE = 7919;
    private static final long STEP_MICROS = 100;
    private static final long WINDOW_MICROS = TimeUnit.SECONDS.toMicros(30);
    /** In a window. */
    static final long VISITS = WINDOW_MICROS / STEP_MICROS;

    private FixedWindow() {
    }

    /** Visits without end. */
    static final class Visits implements Feeder {
        private long next;

        @Override
        public byte[] next() {
            long i = next++;
            return Records.of(i * STRIDE % ADDRESSES, i * STEP_MICROS);
        }

        @Override
        public boolean isDone() {
            return false;
        }
    }

    /** Groups in a hash map; a visit of the next window puts out all groups of the last. */
    static final class Windows implements Step {
        private final Meter meter;
        private final Map<Long, long[]> groups = new HashMap<>();
        private long start;

        Windows(Settings settings) {
            meter = new Meter(settings, "events", () -> "");
        }

        @Override
        public void accept(int input, byte[] visit, Out out) {
            meter.add();
            long micros = Records.number(visit, 1);
            if (micros >= start + WINDOW_MICROS) {
                groups.forEach((address, group) -> out.emit(Records.of(start, address, group[0], group[1])));
                groups.clear();
                start = micros - micros % WINDOW_MICROS;
            }
            long[] group = groups.computeIfAbsent(Records.number(visit, 0), address -> new long[] {micros, 0});
            group[0] = Math.min(group[0], micros);
            group[1]++;
        }
    }

    /** Holds each window that is whole to what it must be, and windows to following each other. */
    static final class Check implements Step {
        private final Meter meter;
        private long start = -1;
        private long rows;
        private long visits;
        private long firsts;
        private volatile long right;
        private volatile long wrong;

        Check(Settings settings) {
            meter = new Meter(settings, "sink", () -> "\"right\": " + right + ", \"wrong\": " + wrong);
        }

        @Override
        public void accept(int input, byte[] group, Out out) {
            meter.add();
            long of = Records.number(group, 0);
            if (of != start) {
                judge(of);
                start = of;
            }
            rows++;
            firsts += Records.number(group, 2);
            visits += Records.number(group, 3);
        }

        private void judge(long next) {
            if (start >= 0) {
                long expected = ADDRESSES * start + STEP_MICROS * (ADDRESSES * (ADDRESSES - 1) / 2);
                boolean same = rows == ADDRESSES && visits == VISITS && firsts == expected && next == start + WINDOW_MICROS;
                right = right + (same ? 1 : 0);
                wrong = wrong + (same ? 0 : 1);
            } else if (next != 0) {
                wrong = wrong + 1;
            }
            rows = 0;
            visits = 0;
            firsts = 0;
        }
    }
}
