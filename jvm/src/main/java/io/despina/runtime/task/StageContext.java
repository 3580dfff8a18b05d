package io.despina.runtime.task;

import io.despina.buffer.Budget;
import io.despina.buffer.BudgetException;
import io.despina.link.PortOutput;
import io.despina.metrics.LastBadRecords;
import io.despina.metrics.StageCounters;
import io.despina.operator.DeadLetter;
import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.packet.Packet;
import io.despina.packet.PacketJson;
import io.despina.packet.Schema;
import io.despina.runtime.deployment.StageSpec;
import io.despina.spec.OnError;
import io.despina.wake.Waker;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** An operator instance's view of its task. */
final class StageContext implements OperatorContext {
    /** State is charged to the budget in steps of this many bytes. */
    private static final long STATE_STEP = 4 << 10;
    /** Characters of a record that an error quotes. */
    static final int LONGEST_RECORD = 1000;
    /** Of the first skipped record and its reason together. */
    private static final int LONGEST_SKIPPED = 200;
    private static final Supplier<String> UNCOUNTED = () -> "";

    private final StageSpec spec;
    private final JobSnapshots snapshots;
    private final PortOutput[] outputs;
    /** Where dead letters leave; null if none do. */
    private final PortOutput errors;
    private final StageCounters counters;
    private final LongSupplier clock;
    private final Budget budget;
    private final int maxPacketBytes;
    private final JobCompletion.Part completion;
    private final Waker waker;
    private final StageTimer timer;
    /** Of a source the task itself keeps that it was woken. */
    private final boolean wakesTimer;
    private boolean restored;
    private long charged;
    /** The age of the oldest of the current packets when they arrived, in nanoseconds. */
    private long age;
    private long origin = Long.MAX_VALUE;
    /** The same of the packets that came last: a timer that rings has an origin of its own. */
    private long came = Long.MAX_VALUE;

    StageContext(StageParts parts, PortOutput[] outputs, StageTimer timer) {
        this.timer = timer;
        spec = parts.spec();
        snapshots = parts.snapshots();
        counters = parts.counters();
        clock = parts.clock();
        budget = parts.budget();
        maxPacketBytes = parts.maxPacketBytes();
        completion = parts.completion();
        waker = parts.waker();
        wakesTimer = !spec.ports().inputs().isEmpty();
        this.outputs = outputs;
        errors = spec.onError() == OnError.DEAD_LETTER ? outputs[spec.ports().errors()] : null;
    }

    @Override
    public String operatorId() {
        return spec.operatorId();
    }

    @Override
    public int instance() {
        return spec.instance();
    }

    @Override
    public int parallelism() {
        return spec.parallelism();
    }

    @Override
    public int attempt() {
        return snapshots.attempt();
    }

    @Override
    public boolean isCommitted() {
        return snapshots.isCommitted();
    }

    @Override
    public boolean takesSnapshots() {
        return snapshots != JobSnapshots.NONE;
    }

    @Override
    public Path keptFolder() {
        return snapshots.keptFolder(new JobSnapshots.Instance(spec.operatorId(), spec.instance()));
    }

    /** Of {@link #isRestored}. */
    void restored(boolean is) {
        restored = is;
    }

    @Override
    public boolean isRestored() {
        return restored;
    }

    @Override
    public boolean takesAll() {
        return snapshots.leftOut(spec.operatorId()).isEmpty();
    }

    @Override
    public Schema input(int port) {
        return spec.ports().inputs().get(port);
    }

    @Override
    public Output output(int port) {
        return outputs[port];
    }

    @Override
    public boolean hasRoom() {
        return outputs[0].hasRoom() && (errors == null || errors.hasRoom());
    }

    @Override
    public int maxPacketBytes() {
        return maxPacketBytes;
    }

    @Override
    public void wake() {
        if (wakesTimer) {
            timer.wake();
        }
        waker.wake();
    }

    @Override
    public LongSupplier clock() {
        return clock;
    }

    @Override
    public long wallMicros() {
        return timer.wallMicros();
    }

    @Override
    public void wakeAt(long micros) {
        timer.set(micros);
    }

    void arrived(long age) {
        this.age = age;
    }

    /** The packets written next stem from one that was due at {@code nanos}; those that a watermark fires, from the last one. */
    void origin(long nanos) {
        if (nanos != Long.MAX_VALUE) {
            origin = nanos;
            for (PortOutput output : outputs) {
                output.due(nanos);
            }
        }
    }

    /** Packets have come, the oldest of them due at {@code nanos}. */
    void came(long nanos) {
        came = nanos == Long.MAX_VALUE ? came : nanos;
        origin(nanos);
    }

    /** As when packets came last, whatever the operator has said of others since. */
    void originAgain() {
        origin(origin);
    }

    @Override
    public long origin() {
        return came == Long.MAX_VALUE ? clock.getAsLong() : came;
    }

    @Override
    public void latency(long laterNanos, long packets) {
        counters.packetLatency.record(age - laterNanos, packets);
    }

    @Override
    public void leftBehind(String where) {
        completion.leaveBehind(where);
    }

    @Override
    public void tell(String what) {
        System.err.println(spec.operatorId() + " " + Reason.visible(what));
    }

    @Override
    public void warn(String what) {
        System.getLogger(spec.operatorId()).log(System.Logger.Level.WARNING, what);
    }

    @Override
    public void countLate() {
        counters.late.add(1);
    }

    @Override
    public void countLate(long packets) {
        counters.late.add(packets);
    }

    @Override
    public void count(String name, long more) {
        counters.own.add(name, more);
    }

    @Override
    public void behindRecords(long records) {
        counters.behindRecords.set(records);
    }

    @Override
    public void behindBytes(long bytes) {
        counters.behindBytes.set(bytes);
    }

    @Override
    public boolean failsOnBadRecord() {
        return spec.onError() == OnError.FAIL;
    }

    @Override
    public void badRecord(Exception why, Packet packet) throws Exception {
        badRecord(why, schemaOf(packet, why), packet);
    }

    @Override
    public void badRecord(Exception why, Schema schema, Packet packet) {
        if (failsOnBadRecord()) {
            throw failed(why, PacketJson.text(schema, packet));
        }
        counters.errors.add(1);
        boolean keeps = counters.bad.wants(clock.getAsLong());
        boolean tells = spec.onError() == OnError.DEAD_LETTER || !counters.hasSkipped();
        if (keeps || tells) {
            String reason = Reason.of(why);
            String record = tells ? PacketJson.text(schema, packet) : PacketJson.brief(schema, packet);
            leave(reason, record);
            if (keeps) {
                keep(reason, record);
            }
        }
    }

    /** For users who ask for the last bad records. */
    private void keep(String why, String record) {
        counters.bad.add(new LastBadRecords.BadRecord(spec.operatorId(), spec.instance(),
                TimeUnit.MICROSECONDS.toMillis(timer.wallMicros()), Reason.shortened(why, LONGEST_RECORD),
                Reason.shortened(record, LONGEST_RECORD)));
    }

    private void keepIfWanted(String why, String record) {
        if (counters.bad.wants(clock.getAsLong())) {
            keep(why, record);
        }
    }

    private TaskFailedException failed(Exception why, String record) {
        return TaskFailedException.ofRecord(new TaskFailedException.Place(spec.operatorId(), spec.instance(), null), why,
                Reason.shortened(record, LONGEST_RECORD));
    }

    private void leave(String why, String record) {
        if (spec.onError() == OnError.DEAD_LETTER) {
            DeadLetter.write(errors.writer(), why, spec.operatorId(), record, maxPacketBytes);
        } else {
            skipped(why, record);
        }
    }

    private void skipped(String why, String record) {
        if (!counters.hasSkipped()) {
            counters.skipped(Reason.shortened(record.isEmpty() ? why : why + ": " + record, LONGEST_SKIPPED));
        }
    }

    @Override
    public void badRecord(String why, String record) throws Exception {
        if (failsOnBadRecord()) {
            throw failed(new IllegalArgumentException(record.isEmpty() ? why
                    : why + ": " + Reason.shortened(record, LONGEST_RECORD)), "");
        }
        counters.errors.add(1);
        leave(why, record);
        keepIfWanted(why, record);
    }

    @Override
    public void countBadRecord(String why, String record) {
        counters.errors.add(1);
        skipped(why, record);
        keepIfWanted(why, record);
    }

    @Override
    public void stateBytes(long bytes) {
        stateBytes(bytes, UNCOUNTED);
    }

    @Override
    public void stateBytes(long bytes, Supplier<String> contents) {
        counters.stateBytes.set(bytes);
        if (bytes > charged || bytes < charged - 2 * STATE_STEP) {
            charge((bytes + STATE_STEP - 1) / STATE_STEP * STATE_STEP, bytes, contents);
        }
    }

    private void charge(long wanted, long bytes, Supplier<String> contents) {
        if (wanted < charged) {
            budget.giveHeld(charged - wanted);
        } else if (!budget.tryHold(wanted - charged)) {
            String counted = contents.get();
            throw new BudgetException("holds " + bytes + " bytes of state" + (counted.isEmpty() ? "" : " (" + counted + ")")
                    + ", more than the resource's memory allows (memory_bytes=" + budget.bytes() + ", "
                    + (budget.bytes() - budget.floating()) + " of them reserved for channels, " + budget.held()
                    + " held by state before); raise memory_bytes");
        }
        charged = wanted;
    }

    /** Gives back what the state was charged, when it is dropped. */
    void forgetState() {
        budget.giveHeld(charged);
        charged = 0;
    }

    private Schema schemaOf(Packet packet, Exception why) {
        for (Schema schema : spec.ports().inputs()) {
            if (schema.layout() == packet.layout()) {
                return schema;
            }
        }
        throw new IllegalArgumentException(Reason.of(why) + " (and the packet is of none of its inputs)", why);
    }
}
