package io.despina.operator.source;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.SnapshotReader;
import io.despina.operator.SnapshotWriter;
import io.despina.operator.Source;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Makes rows from ids 0, 1, 2 …, flat out or by a rate that may change over time. Instance i of n makes the ids ≡ i modulo
 * n, each when it is due: at a constant rate r row k is due k / r after the start, whatever happened before, and rows that
 * are overdue after a stall go out at once, each with its own due time. Flat out, rows are due when their batch begins.
 */
public final class Generator implements Source {
    public static final long UNBOUNDED = Long.MAX_VALUE;

    /**
     * What to make, and when.
     *
     * @param count     ids to make, over all instances; {@link #UNBOUNDED}
     * @param shape     the rate of all instances together, or null for flat out
     * @param eventTime or null
     */
    public record Options(Generated rows, long count, Pace.Shape shape, EventTime eventTime) {
    }

    private final Options options;
    private final LongSupplier wallMicros;
    private final Pace pace;
    private Output out;
    private Generated.Rows rows;
    private Watermarks watermarks;
    private int step;
    /** The next id. */
    private long next;
    /** Microseconds since 1970 at zero of the job's clock. */
    private long epochMicros;
    private boolean started;
    private boolean sought;
    /** When id 0 is, or would have been, due. */
    private long start;

    public Generator(Options options) {
        this(options, () -> TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis()));
    }

    /** @param wallMicros microseconds since 1970, asked once: what due times count from */
    public Generator(Options options, LongSupplier wallMicros) {
        this.options = options;
        this.wallMicros = wallMicros;
        pace = options.shape == null ? null : options.shape.pace();
    }

    @Override
    public void open(OperatorContext context) {
        out = context.output(0);
        step = context.parallelism();
        next = context.instance();
        long now = context.clock().getAsLong();
        epochMicros = wallMicros.getAsLong() - TimeUnit.NANOSECONDS.toMicros(now);
        watermarks = options.eventTime == null ? null : new Watermarks(options.eventTime, out, now);
        rows = Generated.rows(options.rows, context, watermarks);
    }

    @Override
    public long produce(long now) throws Exception {
        long from = next;
        long again = out.hasRoom() ? pace == null ? flatOut(now) : paced(now) : now;
        if (watermarks != null) {
            watermarks.batchDone(now, next != from);
            again = watermarks.waiting(now, again);
        }
        return again;
    }

    private long flatOut(long now) throws Exception {
        long left = options.count <= next ? 0 : (options.count - next - 1) / step + 1;
        out.due(now);
        next += step * rows.write(next, step, Math.min(left, rows.batch()), micros(now));
        return next < options.count ? now : ENDED;
    }

    private long paced(long now) throws Exception {
        if (!started) {
            started = true;
            start = sought && pace.dueNanos(next) != Pace.NEVER ? now - pace.dueNanos(next) : now;
        }
        for (int k = 0; k < rows.batch() && next < options.count; k++) {
            long sinceStart = pace.dueNanos(next);
            if (sinceStart == Pace.NEVER) {
                return ENDED;
            }
            long due = start + sinceStart;
            if (due > now) {
                return due;
            }
            out.due(due);
            rows.write(next, step, 1, micros(due));
            next += step;
            if (!out.hasRoom()) {
                break;
            }
        }
        return next < options.count ? now : ENDED;
    }

    private long micros(long nanos) {
        return epochMicros + TimeUnit.NANOSECONDS.toMicros(nanos);
    }

    /** The next id. */
    @Override
    public String position() {
        return Long.toString(next);
    }

    @Override
    public void seek(String position) {
        next = Long.parseLong(position);
        sought = true;
    }

    @Override
    public void snapshot(SnapshotWriter writer) throws IOException {
        if (watermarks != null) {
            watermarks.snapshot(writer);
        }
    }

    @Override
    public void restore(SnapshotReader reader) throws IOException {
        if (watermarks != null) {
            watermarks.restore(reader);
        }
    }
}
