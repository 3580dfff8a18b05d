package io.despina.operator.python;

import io.despina.arrow.ArrowException;
import io.despina.arrow.BatchReader;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.python.FunctionSpec;
import io.despina.python.WorkerEvent;
import io.despina.spec.Clock;
import io.despina.state.HeldPackets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * The answer of the oldest batch in flight on its way out. With {@code adds} a packet leaves as soon as its row is there, and is
 * then held no more. Else the rows leave when the answer is whole, so that a barrier never comes between them; and so they do if
 * there are states or something was counted, since a process that dies between two parts takes along what it has not said.
 */
final class Answer {
    private final OperatorContext context;
    private final Output out;
    private final Crossing behind;
    private final HeldPackets held;
    /** Null if the function keeps none. */
    private final KeyedStates states;
    private final boolean adds;
    /** Whether rows of timers may come before those of packets: the watermark before a batch goes behind its rows then. */
    private final boolean isTimed;
    private final int columns;
    private final BatchReader reader;
    private final Deque<WorkerEvent.Rows> parts = new ArrayDeque<>();
    /** Of parts that have come and have not all left. */
    private long bytes;
    /** What the function has counted with the batch. */
    private Map<String, Long> counts = Map.of();
    private List<WorkerEvent.Error> errors = List.of();
    private int error;
    /** How many packets of the batch are done with. */
    private int done;
    /** Whether {@link #reader} is at a part, and at which row. */
    private boolean reading;
    private int row;
    private boolean whole;
    private long passed = Long.MIN_VALUE;
    /** The watermark that goes before the batch. */
    private long before = Long.MIN_VALUE;

    /** @param behind told of each packet that leaves; null for none */
    Answer(OperatorContext context, FunctionSpec function, Arrivals arrivals, Crossing behind) {
        this.context = context;
        this.behind = behind;
        states = arrivals.keyed();
        isTimed = function.kept() != null && function.kept().clock() == Clock.EVENT;
        held = arrivals.held();
        out = context.output(0);
        adds = function.calls().adds();
        columns = function.input().size();
        reader = new BatchReader(function.output());
    }

    long bytes() {
        return bytes + (states == null ? 0 : states.bytes());
    }

    int done() {
        return done;
    }

    /** What is said of it besides its rows. */
    void add(WorkerEvent said) {
        if (said instanceof WorkerEvent.Errors found) {
            errors = found.rows();
            error = 0;
        } else if (said instanceof WorkerEvent.Counted counted) {
            counts = counted.counts();
        } else if (said instanceof WorkerEvent.Changes changes) {
            check(states != null);
            states.add(changes);
        }
    }

    void add(WorkerEvent.Rows part) {
        parts.add(part);
        bytes += part.message().length;
        whole |= part.isLast();
    }

    /** Its packets are bad records, all for that reason. */
    void refuse(int packets, String why) {
        errors = IntStream.range(0, packets).mapToObj(k -> new WorkerEvent.Error(k, why)).toList();
        error = 0;
        whole = true;
    }

    /** Forgets what has come of it, but not what has left. */
    void forget() {
        if (states != null) {
            states.forget();
        }
        parts.clear();
        bytes = 0;
        counts = Map.of();
        errors = List.of();
        error = 0;
        reading = false;
        whole = false;
        done = 0;
    }

    /** Whether something of it can leave. */
    boolean isReady() {
        return whole || adds && states == null && counts.isEmpty() && (reading || !parts.isEmpty());
    }

    /** Whether packets have left that are counted only when the rest of their batch has: no snapshot may be taken then. */
    boolean isBetween() {
        return done > 0 && !counts.isEmpty();
    }

    /**
     * Lets what has come leave, while there is room.
     *
     * @return whether all of the batch is done with
     */
    boolean leave(SentBatch batch) throws Exception {
        return adds ? leaveAdded(batch) : leaveRows(batch);
    }

    private boolean leaveAdded(SentBatch batch) throws Exception {
        int packets = batch.packets();
        while (context.hasRoom()) {
            if (isRefused()) {
                refuse();
            } else if (reading && row < reader.rows()) {
                check(done < packets);
                pass(held.firstWatermark());
                Packet packet = held.first();
                PacketWriter writer = out.writer().begin();
                for (int k = 0; k < columns; k++) {
                    writer.setColumn(k, packet, k);
                }
                reader.write(row, writer, columns);
                writer.commit();
                wentOut();
                leaveFirst();
            } else if (!next()) {
                return ended(packets);
            }
        }
        return false;
    }

    private boolean leaveRows(SentBatch batch) throws Exception {
        while (whole && context.hasRoom()) {
            if (done == 0 && batch.packets() > 0) {
                before = held.firstWatermark();
            }
            if (reading && row < reader.rows()) {
                if (!isTimed) {
                    pass(before);
                }
                PacketWriter writer = out.writer().begin();
                reader.write(row, writer, 0);
                writer.commit();
                wentOut();
            } else if (!next()) {
                if (isRefused()) {
                    refuse();
                } else if (done == batch.packets()) {
                    if (isTimed && batch.packets() > 0 && !batch.isGivenUp()) {
                        pass(before);
                    }
                    return ended(done);
                } else {
                    leaveFirst();
                }
            }
        }
        return false;
    }

    private void wentOut() {
        row++;
        if (behind != null) {
            behind.leave();
        }
    }

    /** Whether the next packet, or a timer before it, is a bad record. */
    private boolean isRefused() {
        return error < errors.size() && errors.get(error).row() == done;
    }

    private boolean ended(int packets) {
        if (whole) {
            check(done == packets && error == errors.size());
            counts.forEach(context::count);
            if (states != null) {
                states.apply();
            }
            forget();
            return true;
        }
        return false;
    }

    /** Moves to the next part, if it has come. */
    private boolean next() {
        reading = false;
        WorkerEvent.Rows part = parts.poll();
        if (part == null) {
            return false;
        }
        bytes -= part.message().length;
        reader.wrap(part.message());
        reading = true;
        row = 0;
        return true;
    }

    private void leaveFirst() {
        held.removeFirst();
        done++;
    }

    private void refuse() throws Exception {
        WorkerEvent.Error found = errors.get(error++);
        if (found.record() != null) {
            context.badRecord(found.why(), found.record());
            return;
        }
        done++;
        context.badRecord(new FunctionException(found.why()), held.first());
        held.removeFirst();
    }

    /** Tells the output of a watermark that goes before what follows. */
    void pass(long watermark) {
        if (watermark > passed) {
            passed = watermark;
            out.watermark(watermark, true);
        }
    }

    /** The same after the last packet. */
    void passLast(long watermark) {
        if (watermark > passed) {
            passed = watermark;
            out.watermark(watermark, false);
        }
    }

    private static void check(boolean fits) {
        if (!fits) {
            throw new ArrowException("its rows are not those of the batch that was sent");
        }
    }
}
