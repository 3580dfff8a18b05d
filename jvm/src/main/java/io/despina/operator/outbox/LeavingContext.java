package io.despina.operator.outbox;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.operator.Reason;
import io.despina.packet.Packet;
import io.despina.packet.PacketJson;
import io.despina.packet.Schema;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.LongSupplier;

/** What a sink sees that is called by another thread than its task's. Its bad records wait for that. */
final class LeavingContext implements OperatorContext {
    private record Bad(String why, String record) {
    }

    private final OperatorContext task;
    private final Queue<Bad> waiting = new ConcurrentLinkedQueue<>();
    /** Those of the rows that are leaving now, which may have to leave again. Of the thread that sends. */
    private final List<Bad> found = new ArrayList<>();

    LeavingContext(OperatorContext task) {
        this.task = task;
    }

    /** On the task's thread: hands on the bad records that wait. @return whether none is left */
    boolean handOn() throws Exception {
        while (!waiting.isEmpty() && task.hasRoom()) {
            Bad next = waiting.poll();
            task.badRecord(next.why, next.record);
        }
        return waiting.isEmpty();
    }

    /** On the task's thread, when no row of the operator follows: counts the bad records that wait. */
    void count() throws Exception {
        for (Bad next = waiting.poll(); next != null; next = waiting.poll()) {
            task.countBadRecord(next.why, next.record);
        }
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    @Override
    public String operatorId() {
        return task.operatorId();
    }

    @Override
    public int instance() {
        return task.instance();
    }

    @Override
    public int parallelism() {
        return task.parallelism();
    }

    @Override
    public boolean isRestored() {
        return task.isRestored();
    }

    @Override
    public Schema input(int port) {
        return task.input(port);
    }

    @Override
    public Output output(int port) {
        return task.output(port);
    }

    @Override
    public boolean hasRoom() {
        return true;
    }

    @Override
    public int maxPacketBytes() {
        return task.maxPacketBytes();
    }

    @Override
    public LongSupplier clock() {
        return task.clock();
    }

    /** Rows leave when their epoch does. */
    @Override
    public void wakeAt(long micros) {
        // no row waits for company
    }

    @Override
    public void tell(String what) {
        task.tell(what);
    }

    @Override
    public void warn(String what) {
        task.warn(what);
    }

    @Override
    public void countLate() {
        throw new UnsupportedOperationException("a sink has no late rows");
    }

    @Override
    public boolean failsOnBadRecord() {
        return task.failsOnBadRecord();
    }

    @Override
    public void badRecord(Exception why, Packet packet) throws Exception {
        badRecord(why, task.input(0), packet);
    }

    @Override
    public void badRecord(Exception why, Schema schema, Packet packet) throws Exception {
        if (task.failsOnBadRecord()) {
            task.badRecord(why, schema, packet);
        }
        wait(Reason.of(why), PacketJson.text(schema, packet));
    }

    @Override
    public void badRecord(String why, String record) throws Exception {
        if (task.failsOnBadRecord()) {
            task.badRecord(why, record);
        }
        wait(why, record);
    }

    private void wait(String why, String record) {
        found.add(new Bad(why, record));
    }

    /** The rows of an epoch leave, from the first on. */
    void begin() {
        found.clear();
    }

    /** They have left: those that are bad are handed on, once. */
    void done() {
        if (!found.isEmpty()) {
            waiting.addAll(found);
            found.clear();
            task.wake();
        }
    }

    @Override
    public void stateBytes(long bytes) {
        task.stateBytes(bytes + Outbox.MEMORY_BYTES);
    }
}
