package io.despina.operator.experiment;

import io.despina.operator.Operator;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Sleeper;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * A slow relay for experiments: for each packet it sleeps, works (spins on the clock), or sleeps by a timetable that starts with
 * the first packet. A relay that sleeps blocks its thread, so it runs in the blocking tier.
 */
public final class DelayingRelay implements Operator {

    /** Sleeps per packet for a while. */
    public record Step(long forMs, double sleepMs) {
    }

    /**
     * The cost of each packet.
     *
     * @param sleepMs milliseconds of sleep per packet, if {@code steps} is empty
     * @param workUs  microseconds of busy work per packet
     * @param steps   sleep by time since the first packet; the last step has no end
     */
    public record Options(double sleepMs, double workUs, List<Step> steps) {
        public Options {
            steps = List.copyOf(steps);
        }
    }

    private static final double NANOS_PER_MS = 1e6;
    private static final double NANOS_PER_US = 1e3;
    /**
     * A call returns after so long, because a segment may take minutes: packets can then be counted and sent on, and the job can
     * be stopped.
     */
    private static final long SLICE = 1_000_000;

    private static final String ELAPSED = "elapsed";

    private final Options options;
    private final Sleeper sleeper;
    private Output out;
    private LongSupplier clock;
    private boolean started;
    private long start;
    private final NamedEntries timetable = new NamedEntries("timetable", this::standing);

    public DelayingRelay(Options options) {
        this(options, TimeUnit.NANOSECONDS::sleep);
    }

    public DelayingRelay(Options options, Sleeper sleeper) {
        this.options = options;
        this.sleeper = sleeper;
    }

    @Override
    public void open(OperatorContext context) {
        out = context.output(0);
        clock = context.clock();
    }

    @Override
    public void process(int port, PacketCursor packets) throws InterruptedException {
        long until = clock.getAsLong() + SLICE;
        do {
            Packet packet = out.hasRoom() ? packets.next() : null;
            if (packet == null) {
                return;
            }
            try {
                delay();
            } catch (InterruptedException e) {
                packets.unread();
                throw e;
            }
            out.writer().copy(packet);
        } while (clock.getAsLong() < until);
    }

    private Map<String, String> standing() {
        return started ? Map.of(ELAPSED, Long.toString(clock.getAsLong() - start)) : Map.of();
    }

    @Override
    public List<State> states() {
        return List.of(timetable);
    }

    @Override
    public void restored() {
        for (Map<String, String> each : timetable.restored()) {
            if (each.containsKey(ELAPSED)) {
                long from = clock.getAsLong() - Long.parseLong(each.get(ELAPSED));
                start = started ? Math.min(start, from) : from;
                started = true;
            }
        }
    }

    private void delay() throws InterruptedException {
        long now = clock.getAsLong();
        if (!started) {
            started = true;
            start = now;
        }
        double sleepMs = options.steps.isEmpty() ? options.sleepMs : sleepAt(TimeUnit.NANOSECONDS.toMillis(now - start));
        if (sleepMs > 0) {
            sleeper.sleep((long) (sleepMs * NANOS_PER_MS));
        }
        if (options.workUs > 0) {
            long from = clock.getAsLong();
            long work = (long) (options.workUs * NANOS_PER_US);
            while (clock.getAsLong() - from < work) {
                Thread.onSpinWait();
            }
        }
    }

    private double sleepAt(long elapsedMs) {
        long rest = elapsedMs;
        for (Step step : options.steps) {
            if (rest < step.forMs) {
                return step.sleepMs;
            }
            rest -= step.forMs;
        }
        return options.steps.get(options.steps.size() - 1).sleepMs;
    }
}
