package io.despina.operator.source.inflow;

import io.despina.inflow.Inflow;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Source;
import io.despina.operator.record.RecordDecoder.BadRecords;
import io.despina.operator.record.ScratchPackets;
import io.despina.operator.source.time.Watermarks;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.spec.EventTime;
import io.despina.state.State;
import java.util.ArrayList;
import java.util.List;

/**
 * A source whose records come by other threads, which wake it: it decodes them, sends the rows and makes the watermarks. What
 * becomes of records that the job needs again is for its children to say: they have them in a log, or know where to read them.
 *
 * @param <P> what waits in the queue
 */
public abstract class InflowSource<P extends Inflow.Piece> implements Source {
    /** Bytes of records or packets after which {@link #produce} returns. */
    protected static final int BATCH_BYTES = 1 << 16;

    protected OperatorContext context;
    protected Output out;
    /** Packets that are decoded and not sent yet. */
    protected ScratchPackets rows;
    /** Null without event time. */
    protected Watermarks watermarks;
    protected Inflow<P> inflow;
    /** Written by the task; other threads read it. */
    protected volatile boolean stopped;
    /** Whether this call of {@link #produce} has sent a packet. */
    protected boolean wrote;

    /**
     * At the beginning of {@link #open}.
     *
     * @param schema    of the packets
     * @param eventTime or null
     * @param most      bytes that may wait in the queue
     */
    protected final void begin(OperatorContext opened, Schema schema, EventTime eventTime, long most) {
        context = opened;
        out = context.output(0);
        rows = new ScratchPackets(schema);
        watermarks = eventTime == null ? null : new Watermarks(eventTime, out, context.clock());
        inflow = new Inflow<>(most, context);
    }

    /** Where bad records go. */
    protected abstract BadRecords badRecords();

    /** Sends what has arrived. @return as of {@link #produce} */
    protected abstract long read(long now) throws Exception;

    /** After {@link #read}. */
    protected abstract void settle();

    @Override
    public final long produce(long now) throws Exception {
        wrote = false;
        out.due(now);
        long again = read(now);
        context.behindBytes(inflow.heldBytes());
        if (watermarks != null) {
            watermarks.batchDone(now, wrote);
            if (again != ENDED || !stopped) {       // one that is stopped is neither silent nor at its end
                again = watermarks.waiting(now, again);
            }
        }
        settle();
        return again;
    }

    protected final void send(Packet packet) {
        if (watermarks != null) {
            watermarks.before(packet);
        }
        out.writer().copy(packet);
        wrote = true;
    }

    @Override
    public List<State> states() {
        List<State> states = new ArrayList<>();
        if (watermarks != null) {
            states.add(watermarks.state());
        }
        return states;
    }

    @Override
    public void restored() throws Exception {
        if (watermarks != null) {
            watermarks.restored();
        }
    }
}
