package io.despina.operator;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.wake.Waker;
import java.nio.file.Path;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** What the runtime offers to an operator instance, from {@link Operator#open} on. */
public interface OperatorContext extends Waker {

    /** The operator's id in the graph. */
    String operatorId();

    /** This instance, from 0. */
    int instance();

    int parallelism();

    /** Which attempt of the job this is, from 1 on. */
    default int attempt() {
        return 1;
    }

    /**
     * Whether every sink had committed the epoch from which the job goes on: what the snapshot has as prepared is out, and is not
     * committed again. If not, it is committed before anything else. False for a job that begins anew.
     */
    default boolean isCommitted() {
        return false;
    }

    /**
     * The folder for what this instance keeps in logs, on a disk of this machine, below the job's state folder; it may not be
     * there yet. Null if the job keeps no state: then nothing outlives its process.
     */
    default Path keptFolder() {
        return null;
    }

    /** Whether the job takes snapshots, from which it goes on. */
    default boolean takesSnapshots() {
        return false;
    }

    /** Whether {@link Operator#restored} follows: the operator must then keep what an earlier run left behind. */
    default boolean isRestored() {
        return false;
    }

    /** Whether it gets all packets: those that have failed it in one attempt after the other are kept from it. */
    default boolean takesAll() {
        return true;
    }

    /** Schema of an input port. */
    Schema input(int port);

    /**
     * An output port, numbered in the order of the operator type's declaration. An unlinked port counts packets and drops them.
     */
    Output output(int port);

    /**
     * Whether port 0 has room, and port {@code errors} where bad records leave by it. Like {@link Output#hasRoom}, for loops that
     * may run longer than a segment of input lasts.
     */
    default boolean hasRoom() {
        return output(0).hasRoom();
    }

    /** The longest packet that may leave, or be kept as state. */
    default int maxPacketBytes() {
        return Bytes.MAX_LENGTH;
    }

    /**
     * Calls the operator soon, from any thread: {@link Source#produce}, whatever it answered last, or {@link Operator#timer} of
     * any other. So an operator that waits for an answer from outside is told of it. May be called after its end too.
     */
    @Override
    default void wake() {
    }

    /** Nanoseconds of the job's clock, as {@link Source#produce} gets them. */
    LongSupplier clock();

    /** Microseconds since 1970, by the job's clock: they never go back while the job runs. */
    default long wallMicros() {
        return Math.floorDiv(clock().getAsLong(), 1_000L);
    }

    /**
     * Asks for a call of {@link Operator#timer} at that instant or soon after it, between two packets. It replaces what was asked
     * for before, and no snapshot has it: an operator asks again in {@link Operator#restored}.
     *
     * @param micros since 1970; {@link Long#MAX_VALUE} for none
     */
    default void wakeAt(long micros) {
        throw new UnsupportedOperationException("there are no timers here");
    }

    /**
     * Counts the latency of packets by their own due times, for the report: called by sinks that know these times. Every packet
     * also counts with the latency of its frame.
     *
     * @param laterNanos how much later they were due than the first packet of this {@link Operator#process}
     */
    default void latency(long laterNanos, long packets) {
    }

    /**
     * When the oldest of the packets that came last was due, in nanoseconds of {@link #clock}; now, if nobody knows. An operator
     * that answers packets in a later call keeps it, for {@link Output#due}.
     */
    default long origin() {
        return clock().getAsLong();
    }

    /** Reports to the user, when the job has ended, rows that no job has committed. @param where a path */
    default void leftBehind(String where) {
    }

    /** Tells the user at once, with a line on standard error, what is no warning: where a source listens. */
    default void tell(String what) {
    }

    /** Warns the user at once with a line on standard error. For rare events, never per packet. */
    default void warn(String what) {
    }

    /** Counts a late packet for the report. The operator itself writes it to its port {@code late}. */
    void countLate();

    /** The same for several packets. */
    default void countLate(long packets) {
        for (long k = 0; k < packets; k++) {
            countLate();
        }
    }

    /**
     * Counts for status and report what the user's own function counts.
     *
     * @param name his
     * @throws IllegalStateException there are too many names
     */
    default void count(String name, long more) {
    }

    /**
     * Tells, for status, how many records wait for a source at the server that it reads from. As often as that is known; from one
     * thread, which may be another than the task's.
     */
    default void behindRecords(long records) {
    }

    /** The same of bytes that have come to the source and that it has not sent on. */
    default void behindBytes(long bytes) {
    }

    /** Whether a bad record ends the job: the operator then need not undo half-done work. */
    default boolean failsOnBadRecord() {
        return true;
    }

    /**
     * Hands a packet that could not be processed to the graph's {@code on_error}: fails, or counts it and (dead letter) writes
     * it.
     */
    void badRecord(Exception why, Packet packet) throws Exception;

    /** The same for a packet that came from no input. */
    default void badRecord(Exception why, Schema schema, Packet packet) throws Exception {
        badRecord(why, packet);
    }

    /** The same for a record that never became a packet. */
    void badRecord(String why, String record) throws Exception;

    /**
     * Counts a bad record that comes too late to go where {@code on_error} says, since the operator has given its last row. The
     * first one is told at the end, as a record is that was skipped.
     */
    default void countBadRecord(String why, String record) throws Exception {
        badRecord(why, record);
    }

    /**
     * Charges the current size of the operator's state, in bytes, to the resource's budget. An operator calls this when the size
     * has changed, at most once per call. Closing the operator releases the charge.
     *
     * @throws RuntimeException if the resource's memory does not allow it; this must fail the job
     */
    void stateBytes(long bytes);

    /** The same. @param contents what the state has, for the error: {@code 5 keys}; empty if there is nothing to count */
    default void stateBytes(long bytes, Supplier<String> contents) {
        stateBytes(bytes);
    }
}
