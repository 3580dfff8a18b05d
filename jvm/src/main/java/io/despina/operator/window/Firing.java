package io.despina.operator.window;

import static io.despina.spec.Never.NEVER;

import io.despina.expr.Aggregation;
import io.despina.expr.Compiled;
import io.despina.operator.Commanded;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.order.KeyReader;
import io.despina.operator.order.Keys;
import io.despina.operator.order.LatePort;
import io.despina.operator.order.WallTime;
import io.despina.packet.Packet;
import io.despina.spec.ControlCommand;
import io.despina.spec.Window;
import io.despina.state.EventOrder;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Aggregates over windows that fire more than once: before their ends, with each packet or now and then, and again for packets
 * that come a little too late. Each row says which of its group's rows it is, and whether it is the last one. A group has one
 * last row for each window, when the watermark reaches the window's end and the time for late packets after it.
 *
 * <p>By the wall clock, the clock is the watermark, and the time of each packet that is taken; no packet is late.
 */
abstract class Firing implements Commanded {
    /** Indexes into {@link #progress}. */
    private static final int WATERMARK = 0;
    /** The last watermark whose rows have all left. */
    private static final int DONE = 1;

    private final long every;
    private final long lateWithin;
    private final Inputs inputs;

    private OperatorContext context;
    private LatePort late;
    private KeyReader key;
    private Aggregation aggregation;
    private FiredRows rows;
    /** Null by event time. */
    private WallTime wall;
    private NamedNumbers progress;
    private OperatorState state;
    /** Null unless a user has asked for the rows that open windows have so far. */
    private OpenFiring asked;
    private long watermark = Long.MIN_VALUE;
    private long done = Long.MIN_VALUE;

    /** What is aggregated by what. @param keys of the groups */
    record Inputs(int timeColumn, Keys keys, Compiled<Aggregation> compiled) {
    }

    /** @param every and {@code lateWithin}: as of {@link Window.Fired} */
    Firing(Inputs inputs, long every, long lateWithin) {
        this.inputs = inputs;
        this.every = every;
        this.lateWithin = lateWithin;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        late = new LatePort(opened, opened.input(0));
        key = new KeyReader(inputs.keys, opened.instance());
        aggregation = inputs.compiled.instance(opened.instance());
        rows = new FiredRows(opened, aggregation);
        progress = new NamedNumbers("progress", Long.MIN_VALUE, Long.MIN_VALUE);
        state = new OperatorState(opened).with(progress, groups(inputs.keys));
        if (inputs.timeColumn == WallTime.COLUMN) {
            wall = new WallTime(opened);
            state.with(wall.state());
        }
    }

    /** Makes the state of all groups; {@link #aggregation} is there. */
    abstract State groups(Keys keys);

    /** Gives the rows that are due by the watermark or before; false if the output is full. */
    abstract boolean leaveDue() throws Exception;

    /** When the first window ends, or {@link Long#MAX_VALUE} if there is none. */
    abstract long firstEnd();

    /** Gives the rows that a user has asked for; false if the output is full. */
    boolean leaveOpen(OpenFiring open) throws Exception {
        return true;
    }

    /** All that was due has left. */
    void left() {
    }

    final OperatorContext context() {
        return context;
    }

    final LatePort late() {
        return late;
    }

    final Aggregation aggregation() {
        return aggregation;
    }

    final OperatorState state() {
        return state;
    }

    /** Null by event time. */
    final WallTime wall() {
        return wall;
    }

    final int timeColumn() {
        return inputs.timeColumn;
    }

    final long watermark() {
        return watermark;
    }

    /** The last watermark whose rows have all left. */
    final long done() {
        return done;
    }

    /** The key of a packet, until the next call. */
    final Packet key(Packet packet) {
        return key.of(packet);
    }

    /** Whether a window that ends then has given its last rows. */
    final boolean isOver(long end) {
        return EventOrder.plus(end, lateWithin) <= watermark;
    }

    /** Whether the watermark has come past a multiple at which groups that have changed give a row. */
    final boolean firesNow() {
        return every != NEVER
                && (done == Long.MIN_VALUE || Math.floorDiv(watermark, every) > Math.floorDiv(done, every));
    }

    @Override
    public boolean watermark(long grown) throws Exception {
        return wall != null || advance(grown);
    }

    @Override
    public boolean timer(long micros) throws Exception {
        if (asked != null && !leaveOpen(asked)) {
            return false;
        }
        asked = null;
        if (wall == null) {
            return true;
        }
        boolean all = advance(wall.now());
        if (all) {
            wakeAtFiring();
        }
        return all;
    }

    @Override
    public CompletableFuture<String> command(ControlCommand command, String argument) {
        asked = OpenFiring.after(command, argument, asked, context);
        return CompletableFuture.completedFuture("");
    }

    @Override
    public boolean end() throws Exception {
        return wall == null || advance(Long.MAX_VALUE);
    }

    /** By the wall clock: whichever comes first of a window's end and, where rows leave before that, the next multiple. */
    final void wakeAtFiring() {
        long next = firstEnd();
        if (next != Long.MAX_VALUE && every != NEVER) {
            next = Math.min(next, (Math.floorDiv(done, every) + 1) * every);
        }
        context.wakeAt(next);
    }

    /** The watermark, or the clock, has come so far; false if the output is full. */
    final boolean advance(long grown) throws Exception {
        if (grown > watermark) {
            watermark = grown;
            progress.set(WATERMARK, watermark);
        }
        boolean all = leaveDue();
        if (all) {
            done = watermark;
            progress.set(DONE, done);
            left();
        }
        state.report();
        return all;
    }

    /** Writes a group's row of a window. @param group its key */
    final void emit(Packet group, FiredGroup of, long start, long end, boolean last) throws Exception {
        rows.of(start, end, last).write(key.forRow(group), of);
    }

    @Override
    public final List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        watermark = progress.get(WATERMARK);
        done = progress.get(DONE);
        if (wall != null) {
            // instances that are shared out anew had each given rows up to another instant: the next multiple is for all
            done = wall.now();
            wakeAtFiring();
        }
    }
}
