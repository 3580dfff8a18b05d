package io.despina.operator.source;

import static io.despina.spec.Never.NEVER;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.source.time.Watermarks;
import io.despina.spec.EventTime;
import io.despina.spec.Rate;
import io.despina.state.NamedEntries;
import io.despina.state.State;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * Makes rows from ids 0, 1, 2 …, flat out or at a rate that may change over time. Instance i of n makes the ids ≡ i modulo n. At
 * a constant rate r, row k is due k / r after the start, whatever happened before; after a stall, overdue rows leave at once,
 * each with its own due time. Flat out, rows are due when their batch begins.
 */
public final class Generator implements Source {
    public static final long UNBOUNDED = Long.MAX_VALUE;
    private static final String NEXT = "next";
    private static final String SENT = "sent ";

    /**
     * What to make, and when.
     *
     * @param count     ids to make, over all instances; {@link #UNBOUNDED}
     * @param rate      of all instances together
     * @param eventTime or null
     */
    public record Options(GeneratedRows rows, long count, Rate rate, EventTime eventTime) {
    }

    private final Options options;
    private final Pace pace;
    private Output out;
    private GeneratedRows.RowFiller rows;
    private Watermarks watermarks;
    private int instance;
    private int step;
    /** The next id. */
    private long next;
    /**
     * After a change of parallelism: the id that each earlier instance would have sent next, as long as some of these are behind
     * {@link #next}.
     */
    private final List<long[]> sent = new ArrayList<>();
    private final NamedEntries places = new NamedEntries("place", this::place);
    /** Microseconds since 1970 at zero of the job's clock. */
    private long epochMicros;
    private boolean started;
    private boolean sought;
    /** When id 0 is due, or would have been. */
    private long start;

    public Generator(Options options) {
        this.options = options;
        pace = Pace.of(options.rate);
    }

    @Override
    public void open(OperatorContext context) {
        out = context.output(0);
        step = context.parallelism();
        instance = context.instance();
        next = instance;
        long now = context.clock().getAsLong();
        epochMicros = context.wallMicros() - TimeUnit.NANOSECONDS.toMicros(now);
        watermarks = options.eventTime == null ? null : new Watermarks(options.eventTime, out, context.clock());
        rows = GeneratedRows.rows(options.rows, context, watermarks);
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
        skipSent();
        long left = options.count <= next ? 0 : (options.count - next - 1) / step + 1;
        out.due(now);
        next += step * rows.write(next, step, Math.min(left, sent.isEmpty() ? rows.batch() : 1), micros(now));
        return next < options.count ? now : ENDED;
    }

    private long paced(long now) throws Exception {
        if (!started) {
            started = true;
            start = sought && pace.dueNanos(next) != NEVER ? now - pace.dueNanos(next) : now;
        }
        for (int k = 0; k < rows.batch() && next < options.count; k++) {
            skipSent();
            long sinceStart = pace.dueNanos(next);
            if (sinceStart == NEVER) {
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

    private Map<String, String> place() {
        Map<String, String> place = new LinkedHashMap<>();
        place.put(NEXT, Long.toString(next));
        for (int k = 0; k < sent.size(); k++) {
            place.put(SENT + k, Arrays.stream(sent.get(k)).mapToObj(Long::toString).collect(Collectors.joining(" ")));
        }
        return place;
    }

    @Override
    public List<State> states() {
        return watermarks == null ? List.of(places) : List.of(places, watermarks.state());
    }

    @Override
    public void restored() {
        List<Map<String, String>> found = places.restored();
        for (Map<String, String> each : found) {
            for (int k = 0; each.containsKey(SENT + k); k++) {
                sent.add(Arrays.stream(each.get(SENT + k).split(" ")).mapToLong(Long::parseLong).toArray());
            }
        }
        if (found.size() == step) {
            next = Long.parseLong(found.get(instance).get(NEXT));
        } else {
            long[] nexts = found.stream().mapToLong(each -> Long.parseLong(each.get(NEXT))).toArray();
            sent.add(nexts);
            long least = Arrays.stream(nexts).min().orElseThrow();
            next = least + Math.floorMod(instance - least, (long) step);
        }
        sought = true;
        if (watermarks != null) {
            watermarks.restored();
        }
    }

    /** Skips ids that were sent at another parallelism. */
    private void skipSent() {
        while (!sent.isEmpty() && next < options.count) {
            sent.removeIf(nexts -> Arrays.stream(nexts).allMatch(each -> each <= next));
            if (sent.stream().noneMatch(nexts -> next < nexts[(int) (next % nexts.length)])) {
                return;
            }
            next += step;
        }
    }
}
