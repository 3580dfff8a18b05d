package io.despina.operator.python;

import io.despina.packet.Schema;
import io.despina.python.ArrowException;
import io.despina.python.BatchWriter;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.state.HeldPackets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The batches that have been sent and not been answered, at most two, and the one that is being gathered. All are of the first
 * packets held, in order. So one that must be sent again is gathered again.
 */
final class InFlight {
    private static final int MOST = 2;

    private final HeldPackets held;
    private final FunctionSpec function;
    private final Limits limits;
    private final KeyedStates states;
    private final Deque<Batch> sent = new ArrayDeque<>();
    /** Null until the function has said which columns it reads. */
    private BatchWriter writer;
    private int gatheredBytes;
    private int flying;
    private long number;
    /** So many of the first packets may have killed a worker: they go in smaller batches, one at a time. */
    private int suspects;
    private int most;

    /** One that has been sent. @param at nanoseconds of the job's clock */
    record Batch(long number, int packets, long at) {
    }

    /**
     * How large a batch may be.
     *
     * @param rows  at most
     * @param bytes of its packets, at which it is sent
     */
    record Limits(int rows, int bytes) {
    }

    /** @param states of the function; null if it keeps none */
    InFlight(HeldPackets held, FunctionSpec function, Limits limits, KeyedStates states) {
        this.states = states;
        this.held = held;
        this.function = function;
        this.limits = limits;
        most = limits.rows();
    }

    /** A worker is up. */
    void opened(List<String> columns) {
        Schema schema = function.input();
        int[] ordinals = columns.stream().mapToInt(schema::indexOf).toArray();
        for (int k = 0; k < ordinals.length; k++) {
            if (ordinals[k] < 0) {
                throw new ArrowException("no column `" + columns.get(k) + "` in what was sent");
            }
        }
        writer = new BatchWriter(schema, ordinals);
        gatheredBytes = 0;
        forgetSlots();
    }

    /** The worker is new, or the states are. */
    void forgetSlots() {
        if (states != null) {
            states.slots().clear();
        }
    }

    boolean isEmpty() {
        return sent.isEmpty();
    }

    /** The batch that is answered next; null for none. */
    Batch first() {
        return sent.peek();
    }

    Batch first(long answered) {
        Batch first = sent.peek();
        if (first == null || first.number() != answered) {
            throw new ArrowException("an answer to batch " + answered);
        }
        return first;
    }

    /**
     * Gathers packets that are held, and sends batches as far as two are in flight.
     *
     * @param done how many of the first batch's packets are held no more
     */
    void send(FunctionProcess to, long now, int done) {
        if (writer == null) {
            return;
        }
        int flights = suspects > 0 ? 1 : MOST;
        while (gather(done) && sent.size() < flights) {
            int packets = writer.rows();
            number++;
            if (states != null) {
                to.send(number, states.slots().take());
            }
            to.send(number, writer.take());
            gatheredBytes = 0;
            sent.add(new Batch(number, packets, now));
            flying += packets;
        }
    }

    /** @return whether there is a packet to be sent */
    private boolean gather(int done) {
        int at = flying - done + writer.rows();
        while (at < held.size() && writer.rows() < most && gatheredBytes < limits.bytes() && (writer.rows() == 0
                || function.calls().adds() || held.watermarkAt(at) == held.watermarkAt(at - 1))) {
            var packet = held.at(at);
            if (states != null) {
                if (!states.slots().add(states.key(packet), sent.isEmpty() && writer.rows() == 0)) {
                    break;
                }
                gatheredBytes += states.slots().lastBytes();
            }
            writer.add(packet);
            gatheredBytes += packet.size();
            at++;
        }
        return writer.rows() > 0;
    }

    /** The first batch is answered, and its packets are held no more. */
    void answered() {
        int packets = sent.remove().packets();
        flying -= packets;
        suspects = Math.max(0, suspects - packets);
        most = suspects == 0 ? limits.rows() : most;
    }

    /** So many of the first batch's packets are held no more, and its worker is gone: all others go again. */
    int lost(int done) {
        int rest = sent.isEmpty() ? 0 : sent.peek().packets() - done;
        forget();
        suspects = Math.max(suspects - done, rest);
        most = Math.max(1, rest / 2);
        if (suspects == 0) {
            most = limits.rows();
        }
        return rest;
    }

    /** How many packets are in flight. */
    int packets() {
        return flying;
    }

    /** Whatever is in flight goes no more, and the first packets held are a batch that no worker answers. */
    void giveUp(int packets) {
        forget();
        sent.add(new Batch(++number, packets, Long.MAX_VALUE));
        flying = packets;
    }

    private void forget() {
        sent.clear();
        flying = 0;
        writer = null;
    }
}
