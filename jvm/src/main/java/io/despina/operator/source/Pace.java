package io.despina.operator.source;

import java.util.List;

/**
 * When each packet of a paced source is due: packet {@code id} at a time since the start that depends on {@code id} alone,
 * so nothing drifts and a stalled source knows what is overdue. Not thread-safe: {@link Shape#pace} makes one per task.
 */
public abstract class Pace {

    /** A rate over time, in packets per second. */
    public sealed interface Shape {
        Pace pace();
    }

    /** Always the same. */
    public record Constant(double perS) implements Shape {
        public Constant {
            check("rate_per_s", perS);
            if (perS == 0) {
                throw new IllegalArgumentException("rate_per_s=0: nothing would ever be sent");
            }
        }

        @Override
        public Pace pace() {
            return new Steady(perS);
        }
    }

    /** Up and down, starting low. */
    public record Sine(long periodMs, double lowPerS, double highPerS) implements Shape {
        public Sine {
            check("low_per_s", lowPerS);
            check("high_per_s", highPerS);
            if (periodMs < 1 || highPerS < lowPerS || highPerS == 0) {
                throw new IllegalArgumentException("period_ms=" + periodMs + ", low_per_s=" + lowPerS + ", high_per_s="
                        + highPerS + "; want period_ms >= 1 and low <= high > 0");
            }
        }

        @Override
        public Pace pace() {
            double middle = (lowPerS + highPerS) / 2;
            double swing = (highPerS - lowPerS) / 2 * periodMs / (2 * Math.PI);
            return new Cyclic(periodMs, ms -> (middle * ms - swing * Math.sin(2 * Math.PI * ms / periodMs)) / MS_PER_S);
        }
    }

    /** One rate after the other; the last one stays, and if that is 0 the stream ends there. */
    public record Steps(List<Step> steps) implements Shape {
        public Steps {
            steps = List.copyOf(steps);
            if (steps.stream().noneMatch(step -> step.perS > 0)) {
                throw new IllegalArgumentException("steps: no rate above 0, nothing would ever be sent");
            }
        }

        @Override
        public Pace pace() {
            return new Stepped(steps);
        }
    }

    /** A rate for a while. */
    public record Step(long forMs, double perS) {
        public Step {
            check("rate", perS);
            if (forMs < 1) {
                throw new IllegalArgumentException("for_ms=" + forMs + "; want 1 or more");
            }
        }
    }

    private static final double MS_PER_S = 1e3;
    private static final double NANOS_PER_MS = 1e6;
    private static final double NANOS_PER_S = 1e9;

    private static void check(String name, double perS) {
        if (!(perS >= 0 && perS <= NANOS_PER_S)) {
            throw new IllegalArgumentException(name + "=" + perS + "; want 0 to " + NANOS_PER_S);
        }
    }

    /** What {@link #dueNanos} answers for packets that are never due. */
    static final long NEVER = Long.MAX_VALUE;

    /** Nanoseconds from the start to when packet {@code id} is due, or {@link #NEVER}. */
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
        private final List<Step> steps;

        Stepped(List<Step> steps) {
            this.steps = steps;
        }

        @Override
        long dueNanos(long id) {
            double packets = id;
            long ms = 0;
            for (Step step : steps.subList(0, steps.size() - 1)) {
                double inStep = step.forMs * step.perS / MS_PER_S;
                if (packets < inStep) {
                    return nanos(ms, packets, step.perS);
                }
                packets -= inStep;
                ms += step.forMs;
            }
            double last = steps.get(steps.size() - 1).perS;
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
