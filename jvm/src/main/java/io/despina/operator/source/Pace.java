package io.despina.operator.source;

import static io.despina.spec.Never.NEVER;

import io.despina.spec.Rate;
import java.util.List;

/**
 * When each packet of a paced source is due. The time of a packet depends on its {@code id} alone, so nothing drifts and a
 * stalled source knows what is overdue. Not thread-safe: one per task.
 */
abstract class Pace {

    private static final double MS_PER_S = 1e3;
    private static final double NANOS_PER_MS = 1e6;
    private static final double NANOS_PER_S = 1e9;

    /**
     * The pace of a rate; null where packets are due at once.
     *
     * @throws IllegalArgumentException if the rate sends nothing ever, or more than one packet per nanosecond
     */
    static Pace of(Rate rate) {
        if (rate instanceof Rate.Constant constant) {
            check("rate_per_s", constant.perSecond());
            if (constant.perSecond() == 0) {
                throw new IllegalArgumentException("rate_per_s=0: nothing would ever be sent");
            }
            return new Steady(constant.perSecond());
        }
        if (rate instanceof Rate.Sine sine) {
            return cyclic(sine);
        }
        return rate instanceof Rate.Steps steps ? stepped(steps.steps()) : null;
    }

    private static Pace cyclic(Rate.Sine sine) {
        double low = sine.lowPerSecond();
        double high = sine.highPerSecond();
        long periodMs = sine.periodMs();
        check("low_per_s", low);
        check("high_per_s", high);
        if (periodMs < 1 || high < low || high == 0) {
            throw new IllegalArgumentException("period_ms=" + periodMs + ", low_per_s=" + low + ", high_per_s=" + high
                    + "; want period_ms >= 1 and low <= high > 0");
        }
        double middle = (low + high) / 2;
        double swing = (high - low) / 2 * periodMs / (2 * Math.PI);
        return new Cyclic(periodMs, ms -> (middle * ms - swing * Math.sin(2 * Math.PI * ms / periodMs)) / MS_PER_S);
    }

    private static Pace stepped(List<Rate.Step> steps) {
        for (Rate.Step step : steps) {
            check("rate", step.perSecond());
            if (step.forMs() < 1) {
                throw new IllegalArgumentException("for_ms=" + step.forMs() + "; want 1 or more");
            }
        }
        if (steps.stream().noneMatch(step -> step.perSecond() > 0)) {
            throw new IllegalArgumentException("steps: no rate above 0, nothing would ever be sent");
        }
        return new Stepped(steps);
    }

    private static void check(String name, double perS) {
        if (!(perS >= 0 && perS <= NANOS_PER_S)) {
            throw new IllegalArgumentException(name + "=" + perS + "; want 0 to " + NANOS_PER_S);
        }
    }


    /** Nanoseconds from the start to when packet {@code id} is due, or {@code NEVER}. */
    abstract long dueNanos(long id);

    private static final class Steady extends Pace {
        private final double nanosPerPacket;
        private final double perS;

        Steady(double perS) {
            this.perS = perS;
            nanosPerPacket = NANOS_PER_S / perS;
        }

        @Override
        long dueNanos(long id) {
            return (long) (nanosPerPacket == Math.rint(nanosPerPacket) ? id * nanosPerPacket : id * NANOS_PER_S / perS);
        }
    }

    private static final class Stepped extends Pace {
        private final List<Rate.Step> steps;

        Stepped(List<Rate.Step> steps) {
            this.steps = steps;
        }

        @Override
        long dueNanos(long id) {
            double packets = id;
            long ms = 0;
            for (Rate.Step step : steps.subList(0, steps.size() - 1)) {
                double inStep = step.forMs() * step.perSecond() / MS_PER_S;
                if (packets < inStep) {
                    return nanos(ms, packets, step.perSecond());
                }
                packets -= inStep;
                ms += step.forMs();
            }
            double last = steps.get(steps.size() - 1).perSecond();
            return last == 0 ? NEVER : nanos(ms, packets, last);
        }

        private static long nanos(long ms, double packets, double perS) {
            return (long) (ms * NANOS_PER_MS + packets * NANOS_PER_S / perS);
        }
    }

    /** Packets by whole milliseconds into a cycle; within a millisecond they are spread evenly. */
    private interface Cumulative {
        double packetsBy(long ms);
    }

    private static final class Cyclic extends Pace {
        private final long cycleMs;
        private final Cumulative cumulative;
        private final double perCycle;
        /** The millisecond looked at last, and the packets by its start and end. */
        private long cell;
        private double before;
        private double after;

        Cyclic(long cycleMs, Cumulative cumulative) {
            this.cycleMs = cycleMs;
            this.cumulative = cumulative;
            perCycle = cumulative.packetsBy(cycleMs);
            look(0);
        }

        private void look(long ms) {
            cell = ms;
            before = cumulative.packetsBy(ms);
            after = cumulative.packetsBy(ms + 1);
        }

        @Override
        long dueNanos(long id) {
            double cycle = Math.floor(id / perCycle);
            double packet = id - cycle * perCycle;
            if (packet < before || packet >= after) {
                find(packet);
            }
            double part = after > before ? Math.max(0, Math.min(1, (packet - before) / (after - before))) : 0;
            return (long) ((cycle * cycleMs + cell + part) * NANOS_PER_MS);
        }

        /** The last millisecond that begins with at most {@code packet} packets sent. */
        private void find(double packet) {
            long low = 0;
            long high = cycleMs;
            while (high - low > 1) {
                long middle = (low + high) >>> 1;
                if (cumulative.packetsBy(middle) <= packet) {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            look(low);
        }
    }
}
