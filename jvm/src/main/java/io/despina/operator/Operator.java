package io.despina.operator;

import io.despina.packet.PacketCursor;
import io.despina.state.Held;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;

/**
 * One instance of an operator. All calls come from one thread at a time, in this order: {@link #open}, perhaps {@link #restored},
 * then {@link #process}, {@link #watermark} and {@link #end} in the order of the input, and {@link #timer} between them, finally
 * {@link #close}.
 *
 * <p><b>Yielding.</b> A call that finds an output full keeps its position (in the cursor, or in the operator) and returns at
 * once; the task calls it again when there is room. Otherwise a call takes about a millisecond at most, unless the operator is
 * declared to block.
 *
 * <p>An exception fails the job, unless the graph's {@code on_error} says otherwise; the error names the operator.
 */
public interface Operator extends AutoCloseable {

    /** Called once, before anything else. If the operator is declared to open slowly, a thread that may block calls it. */
    default void open(OperatorContext context) throws Exception {
    }

    /** The class of the user's that it runs, for messages; null if it runs none. */
    default String userClass() {
        return null;
    }

    /**
     * Whether any call may block on something outside, such as a file of another machine. Asked once, after {@link #open}. If so,
     * the task gets a thread of its own from then on.
     */
    default boolean blocks() {
        return false;
    }

    /**
     * Takes packets of input port {@code port} until the cursor is empty or an output is full. A slow operator may also return
     * between two packets; it is called again.
     */
    void process(int port, PacketCursor packets) throws Exception;

    /**
     * Whether it waits for something outside, which wakes it ({@link OperatorContext#wake}). Asked after a {@link #process} that
     * has left packets although the outputs have room, and after a {@link #release} that has more to send: to call it again at
     * once is then of no use.
     */
    default boolean waits() {
        return false;
    }

    /** Whether it only writes each packet unchanged to its one output: whole segments may then bypass it. */
    default boolean passesOn() {
        return false;
    }

    /**
     * The watermark of all inputs together has advanced: only late packets can follow with an earlier event time.
     *
     * @param watermark microseconds; {@link Long#MAX_VALUE} at the end of input, before {@link #end}
     * @return false if more must be emitted: call again when there is room. After true the outputs are told of it
     */
    default boolean watermark(long watermark) throws Exception {
        return true;
    }

    /**
     * What the outputs are told of a watermark: no row that follows has an earlier event time. Asked after {@link #watermark} has
     * returned true, and after a restore. An operator that still has earlier rows to give tells them less.
     *
     * @return it grows with {@code watermark}, and is {@link Long#MAX_VALUE} at the end of input
     */
    default long outputWatermark(long watermark) {
        return watermark;
    }

    /**
     * The task calls this before it passes on a barrier, the mark that all inputs are idle, or the end of the inputs. The
     * operator sends the rows that it has gathered so far and that no snapshot holds.
     *
     * @return false if more is to be sent: call again when there is room
     */
    default boolean release() throws Exception {
        return true;
    }

    /**
     * All inputs are idle: whether the outputs are told so. One that keeps packets until something else happens answers false
     * while it has any, and tells its outputs itself when they have left ({@link Output#idle}): idleness must not overtake them.
     */
    default boolean passesIdle() {
        return true;
    }

    /**
     * The instant has come that the operator asked for by {@link OperatorContext#wakeAt}, or another thread has woken it by
     * {@link OperatorContext#wake}. When the inputs have ended, it is called as long as the operator holds something back
     * ({@link Holding}).
     *
     * @param micros since 1970: now
     * @return false if more must be emitted: call again when there is room, perhaps with a later time
     */
    default boolean timer(long micros) throws Exception {
        return true;
    }

    /** The watermark of one input alone, for operators that keep their inputs apart (as-of joins). */
    default void inputWatermark(int port, long watermark) {
    }

    /**
     * All inputs have ended.
     *
     * @return false if more is to be emitted: call again when there is room
     */
    default boolean end() throws Exception {
        return true;
    }

    /**
     * Everything that it keeps between packets, in the order of the snapshot, the same states whenever it is asked after
     * {@link #open}.
     *
     * <p>A snapshot is taken only when every cursor so far is empty and every call has reported that it is done, so it never
     * holds a half-processed packet.
     */
    default List<State> states() {
        return List.of();
    }

    /**
     * What it has of packets whose rows have not all left, so that they are lost where nothing keeps its state. Packets that are
     * in no row because of what the operator does, such as duplicates, are not held, nor is state whose rows have all left. Asked
     * once, when the task ends before the input does. By default what its {@link #states} hold.
     */
    default Held held() {
        Held sum = Held.NONE;
        for (State state : states()) {
            sum = sum.plus(state.held());
        }
        return sum;
    }

    /** The {@link #states} have been restored from a snapshot. Called after {@link #open}, in place of a fresh start. */
    default void restored() throws Exception {
    }

    /** Releases what {@link #open} took; called once, also after a failure. */
    @Override
    default void close() throws IOException {
    }
}
