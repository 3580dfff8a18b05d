package io.despina.operator;

import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.Schema;
import io.despina.wake.Waker;
import java.util.function.LongSupplier;

/** What the runtime gives an operator instance when it opens it. */
public interface OperatorContext extends Waker {

    /** The operator's id in the graph. */
    String operatorId();

    /** This instance, from 0. */
    int instance();

    int parallelism();

    /** Whether {@link Operator#restored} follows: what an earlier run left behind is then to be kept. */
    default boolean isRestored() {
        return false;
    }

    /** Schema of an input port. */
    Schema input(int port);

    /** An output port by the order in which the operator type declares them; an unlinked one drops and counts. */
    Output output(int port);

    /**
     * Whether port 0 has room, and port {@code errors} where bad records leave by it. To be asked by loops that one call may
     * keep going for longer than a segment of input, as {@link Output#hasRoom} is.
     */
    default boolean hasRoom() {
        return output(0).hasRoom();
    }

    /** The longest packet that may leave, or be kept as state. */
    default int maxPacketBytes() {
        return Bytes.MAX_LENGTH;
    }

    /** A {@link Source} produces soon, whatever it answered last. May be called after its end too. */
    @Override
    default void wake() {
    }

    /** Nanoseconds of the job's clock, as {@link Source#produce} gets them. */
    LongSupplier clock();

    /**
     * Counts the latency of packets by their own due times, for the report: from a sink that knows them. With or without it every
     * packet counts with its frame's latency.
     *
     * @param laterNanos how much later they were due than the first packet of this {@link Operator#process}
     */
    default void latency(long laterNanos, long packets) {
    }

    /** Tells the user, when the job has ended, of rows that no job has committed. @param where a path */
    default void leftBehind(String where) {
    }

    /** Tells the user at once of what is no error and may be news: a line on standard error. Seldom, never per packet. */
    default void warn(String what) {
    }

    /** Counts a packet that came too late, for the report. The operator then writes it to its port {@code late}. */
    void countLate();

    /** Whether a bad record ends the job: then what it leaves half done need not be put right. */
    default boolean failsOnBadRecord() {
        return true;
    }

    /**
     * Hands a packet that could not be processed to the graph's {@code on_error}: fails, or counts it and (dead letter) writes
     * it.
     */
    void badRecord(Exception why, Packet packet) throws Exception;

    /** The same for a packet that no input has brought. */
    default void badRecord(Exception why, Schema schema, Packet packet) throws Exception {
        badRecord(why, packet);
    }

    /** The same for a record that never became a packet. */
    void badRecord(String why, String record) throws Exception;

    /**
     * Counts against the resource's budget what the operator's state takes now, in bytes; an operator tells it when it has
     * changed, at most once per call. What was counted is given back when the operator is closed.
     *
     * @throws RuntimeException if that is more than the resource's memory allows: it must fail the job
     */
    void stateBytes(long bytes);
}
