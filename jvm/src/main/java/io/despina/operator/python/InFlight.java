package io.despina.operator.python;

import static io.despina.spec.Never.NEVER;

import io.despina.arrow.ArrowException;
import io.despina.arrow.BatchWriter;
import io.despina.operator.python.SentBatch.Of;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.python.FunctionProcess;
import io.despina.python.FunctionSpec;
import io.despina.python.WorkerEvent;
import io.despina.spec.Clock;
import io.despina.state.HeldPackets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * The batches that have been sent and not been answered, at most two for each worker, and the one that is being gathered. All are
 * of the first packets held, in order. So one that must be sent again is gathered again.
 */
final class InFlight {
    private static final long MICROS_PER_MILLI = 1_000;

    private final HeldPackets held;
    private final FunctionSpec function;
    /** Of the functions of its process: asked of each packet. */
    private final boolean keepsPackets;
    private final BatchLimits limits;
    private final BatchPace pace;
    /** Null if the function keeps none. */
    private final KeyedStates states;
    /** What keys go by; null for packets as they arrive. */
    private final Clock clock;
    private final Arrivals arrivals;
    private final Deque<SentBatch> sent = new ArrayDeque<>();
    /** Those of the function, as it has said; null before. */
    private int[] ordinals;
    /** Null until the function has said which columns it reads. */
    private BatchWriter writer;
    private int gatheredBytes;
    /** Whether the user's class is told that a key has ended. */
    private boolean ends;
    /** Whether keys are being ended. */
    private boolean ending;
    /** No packets come that a batch could wait for. */
    private boolean isLast;
    /** When what is gathered goes, however few these are, in microseconds since 1970; {@code NEVER} if nothing waits. */
    private long goesAt = NEVER;
    private int flying;
    private long number;
    private final Suspects suspects;
    private final CalledTimers timers;
    private final Ahead ahead;
    /** To the function behind that its process calls too; null for none. */
    private final Crossing behind;

    /** @param row of its process */
    InFlight(Arrivals arrivals, FunctionSpec function, BatchPace pace, InRow row) {
        behind = row.behind();
        ahead = new Ahead(row.before(), arrivals);
        states = arrivals.keyed();
        this.arrivals = arrivals;
        held = arrivals.held();
        this.function = function;
        keepsPackets = function.keepsPackets();
        this.pace = pace;
        limits = pace.limits();
        suspects = new Suspects(limits);
        clock = function.kept() == null ? null : function.kept().clock();
        timers = new CalledTimers(arrivals, clock, pace.ofOthers());
    }

    /** A worker is up. @param methods of the user's class @param worked whether it has answered batches of another operator */
    void opened(List<String> columns, List<String> methods, boolean worked) {
        ends = states != null && methods.contains("end");
        Schema schema = function.input();
        ordinals = columns.stream().mapToInt(schema::indexOf).toArray();
        for (int k = 0; k < ordinals.length; k++) {
            if (ordinals[k] < 0) {
                throw new ArrowException("no column `" + columns.get(k) + "` in what was sent");
            }
        }
        writer = new BatchWriter(schema, ordinals);
        gatheredBytes = 0;
        pace.begin(worked);
        timers.pace().restart();
        forgetSlots();
    }

    private void forgetSlots() {
        if (states != null) {
            states.forgetSlots();
        }
        timers.forget();
    }

    /** The states are others. @param before the timers that are due before then have been called */
    void restored(long before) {
        if (states != null) {
            states.restored();
        }
        timers.restored(before);
        ahead.restored();
    }

    /** All timers that are due before then have been called, in microseconds since 1970. */
    long called() {
        return timers.called();
    }

    boolean isEmpty() {
        return sent.isEmpty();
    }

    /** Whether all packets are answered, and what timers and ends have to do before the watermark goes on. */
    boolean isDone() {
        return arrivals.isEmpty() && timers.areCalled() && !hasEnds(arrivals.watermark());
    }

    /** Of the batch that was sent last. */
    long number() {
        return number;
    }

    /** The batch that is answered next; null for none. */
    SentBatch first() {
        return sent.peek();
    }

    SentBatch first(long answered) {
        SentBatch first = sent.peek();
        if (first == null || first.number() != answered) {
            throw new ArrowException("an answer to batch " + answered);
        }
        return first;
    }

    /** A part of the answer to the first batch has come. */
    void came(WorkerEvent.Rows part) {
        SentBatch answered = first(part.batch());
        paceOf(answered).came(part, answered.calls());
    }

    /** Something has come that a function behind gives. */
    void cameAhead(WorkerEvent part) {
        paceOf(first(part.batch())).cameToo(part.size());
    }

    private BatchPace paceOf(SentBatch batch) {
        return batch.of() == Of.TIMERS || batch.of() == Of.SOME_TIMERS ? timers.pace() : pace;
    }

    /**
     * Gathers packets that are held, and sends batches as far as two are in flight.
     *
     * @param done how many of the first batch's packets are held no more
     * @param time behind all packets that are held, by the clock of the timers: those before it are due. {@code NEVER} is the end
     *             of the input, at which all are
     */
    void send(FunctionWorkers to, long now, int done, long time) {
        goesAt = NEVER;
        takeAhead(now, done);
        if (writer == null || isAhead()) {
            return;
        }
        boolean mayGather = true;
        while (mayGather) {
            int next = flying - done;
            if (writer.rows() == 0 && timers.areOverdue(time)) {
                mayGather = maySend(to) && sendTimers(to, now, time);
                continue;
            }
            boolean any = gather(next);
            mayGather = maySend(to) && (!any || !mustWait(next));
            if (any && mayGather) {
                sendPackets(to, now);
            } else if (mayGather) {
                long before = timers.dueBefore(next, time, sent.isEmpty());
                mayGather = before != CalledTimers.NONE ? sendTimers(to, now, before) : mayEnd(next, time) && sendEnds(to, now);
            }
        }
    }

    /** Whether the answer to the first batch has come with that of the function before. */
    boolean isAhead() {
        return !sent.isEmpty() && sent.peek().ahead() != null;
    }

    /** Whether packets wait for a process of its own, which is not there. */
    boolean wantsProcess(int done) {
        return writer == null && !isAhead() && flying - done < ahead.own();
    }

    /** What was gathered goes by no process of its own, which leaves. */
    void forgetProcess() {
        writer = null;
    }

    /** Takes batches whose answers have come with those of the function before, as far as all of their packets are held. */
    private void takeAhead(long now, int done) {
        Crossing.Batch answer = ahead.next(flying - done, mayTakeAhead());
        while (answer != null) {
            sent.add(SentBatch.answered(answer, now));
            flying += answer.rows();
            answer = ahead.next(flying - done, mayTakeAhead());
        }
    }

    private boolean mayTakeAhead() {
        return (sent.isEmpty() || isAhead()) && (behind == null || !behind.isFull());
    }

    private boolean maySend(FunctionWorkers to) {
        return to.free() != null && (!suspects.areThere() || sent.isEmpty()) && (behind == null || !behind.isFull());
    }

    /** The process to which the next batch goes. */
    private FunctionWorker next(FunctionWorkers to) {
        FunctionWorker one = to.free();
        if (behind != null && (suspects.goAlone() || behind.isOff())) {
            one.process().sendAlone(number);
        }
        return one;
    }

    /** Whether what is gathered waits until it has as many rows as the function wants. @param next the first of these packets */
    private boolean mustWait(int next) {
        if (!limits.isFixed() || isLast || writer.rows() >= suspects.most() || gatheredBytes() >= limits.bytes()) {
            return false;
        }
        long until = held.timeAt(next) + limits.waitMillis() * MICROS_PER_MILLI;
        if (until <= arrivals.wallNow()) {
            return false;
        }
        goesAt = until;
        return true;
    }

    /** When {@link #send} is to be called though nothing comes, in microseconds since 1970; {@code NEVER} if there is no need. */
    long goesAt() {
        return goesAt;
    }

    /** The stream has ended, or the job is stopped: what is gathered waits for nothing. */
    void noMoreCome() {
        isLast = true;
    }

    private void sendPackets(FunctionWorkers to, long now) {
        int packets = writer.rows();
        number++;
        FunctionWorker one = next(to);
        if (states != null) {
            one.process().send(number, states.slots().take());
        }
        one.process().send(number, writer.take());
        gatheredBytes = 0;
        add(SentBatch.ofPackets(number, packets, clock == null ? 0 : states.takeDue(), now, one));
        flying += packets;
    }

    private void add(SentBatch batch) {
        batch.by().give();
        sent.add(batch);
    }

    /** @return false if an answer must come before */
    private boolean sendTimers(FunctionWorkers to, long now, long before) {
        boolean all = timers.knowDue(before, sent.isEmpty());
        if (!all && !sent.isEmpty()) {
            return false;
        }
        int calls = states.takeDue();
        number++;
        FunctionWorker one = next(to);
        one.process().send(number, states.slots().take());
        // of several parts, each calls what is due before those that are left; at the end of the input their order is no matter
        one.process().sendTimers(number, before == NEVER ? NEVER : all ? before - 1 : states.firstTimer(),
                all ? FunctionProcess.ALL : calls);
        timers.ask(all, before);
        add(new SentBatch(number, all ? Of.TIMERS : Of.SOME_TIMERS, 0, calls, now, timers.asked(), one));
        return true;
    }

    /** Whether keys are left whose end the user's class is told of, when the input has ended and all else is done. */
    boolean hasEnds(long watermark) {
        return ends && watermark == NEVER && states.table().size() > 0;
    }

    private boolean mayEnd(int next, long time) {
        return hasEnds(time) && next >= held.size() && sent.isEmpty() && (clock == null || timers.called() == NEVER);
    }

    private boolean sendEnds(FunctionWorkers to, long now) {
        forgetSlots();
        if (!ending) {
            ending = true;
            pace.restart();     // what a row took says nothing of the end of a key
        }
        int keys = states.knowEnding(pace.rows(), limits.bytes());
        number++;
        FunctionWorker one = next(to);
        one.process().send(number, states.slots().take());
        one.process().sendEnds(number);
        add(new SentBatch(number, Of.ENDS, 0, keys, now, timers.called(), one));
        return true;
    }

    /** @param next which packet is sent next @return whether there is a packet to be sent */
    private boolean gather(int next) {
        int at = next + writer.rows();
        int rows = Math.min(suspects.most(), pace.rows());
        while (at < ahead.own() && writer.rows() < rows && (writer.rows() == 0 || gatheredBytes() < limits.bytes()
                && (keepsPackets || held.watermarkAt(at) == held.watermarkAt(at - 1)))) {
            var packet = held.at(at);
            if (states != null && !gatherState(held.firstNumber() + at, packet)) {
                break;
            }
            writer.add(packet);
            gatheredBytes += packet.size();
            at++;
        }
        return writer.rows() > 0;
    }

    private long gatheredBytes() {
        return gatheredBytes + (states == null ? 0 : states.slots().gatheredBytes());
    }

    /** Has the state of a packet's key in a slot, and those of the timers that are due before it. @return false if it cannot */
    private boolean gatherState(long number, Packet packet) {
        boolean free = sent.isEmpty() && writer.rows() == 0;
        long time = clock == Clock.EVENT ? arrivals.time(packet) : 0;
        return (clock != Clock.EVENT || timers.knowDue(time, free, suspects.areThere()))
                && states.add(number, packet, free, time);
    }

    /** The first batch is answered, and its packets are held no more. */
    void answered() {
        SentBatch first = sent.remove();
        if (first.by() != null) {
            first.by().answered();
        }
        int packets = first.packets();
        flying -= packets;
        timers.answered(first, sent.isEmpty());
        suspects.answered(packets);
    }

    /** So many of the first batch's packets are held no more, and its worker is gone: all others go again. */
    int lost(int done) {
        int rest = sent.isEmpty() ? 0 : sent.peek().packets() - done;
        forget();
        suspects.died(done, rest);
        return rest;
    }

    /** How many packets are in flight. */
    int packets() {
        return flying;
    }

    /** Whatever is in flight goes no more: the first packets held are a batch that no worker answers. @return their number */
    int giveUp(int packets) {
        forget();
        sent.add(SentBatch.givenUp(++number, packets));
        flying = packets;
        return packets;
    }

    private void forget() {
        sent.clear();
        flying = 0;
        gatheredBytes = 0;
        // other workers go on at once; where there is state, the one that takes over must learn it first
        writer = states == null && ordinals != null ? new BatchWriter(function.input(), ordinals) : null;
    }
}
