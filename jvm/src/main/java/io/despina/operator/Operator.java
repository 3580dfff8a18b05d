package io.despina.operator;

import io.despina.packet.PacketCursor;
import io.despina.state.State;
import java.io.IOException;
import java.util.List;

/**
 * One instance of an operator. All calls come from one thread at a time, in this order: {@link #open}, perhaps
 * {@link #restored}, then {@link #process}, {@link #watermark}, {@link #end} as the input has them, at last {@link #close}.
 *
 * <p><b>Yielding.</b> A call that finds an output without room returns at once, with its position kept (in the cursor, or
 * in the operator), and is called again when there is room. No call takes much longer than a millisecond otherwise,
 * unless the operator is declared to block.
 *
 * <p>An exception fails the job, unless the graph's {@code on_error} says otherwise; it names the operator.
 */
public interface Operator extends AutoCloseable {

    /** Called once, before anything else. Of an operator that is declared to open slowly, by a thread that may wait. */
    default void open(OperatorContext context) throws Exception {
    }

    /**
     * Asked once, after {@link #open}: whether any call may wait for something outside, as for a file of another machine. Then
     * its task has a thread of its own from here on.
     */
    default boolean blocks() {
        return false;
    }

    /**
     * Takes packets of input port {@code port} until the cursor is empty or an output has no room. One that takes its time
     * over each packet may return between two, and is called again.
     */
    void process(int port, PacketCursor packets) throws Exception;

    /** Whether all it does with a packet is to write it, as it is, to its only output: then whole segments may pass it by. */
    default boolean passesOn() {
        return false;
    }

    /**
     * The watermark of all inputs together has grown: no packet with an event time before it follows, but late ones.
     *
     * @param watermark microseconds; {@link Long#MAX_VALUE} at the end of input, before {@link #end}
     * @return false if more is to be emitted: call again when there is room. The watermark goes on to the outputs after true
     */
    default boolean watermark(long watermark) throws Exception {
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
     * All that it keeps from packet to packet, in the order in which a snapshot has it. Asked once, after {@link #open}.
     *
     * <p>A snapshot is taken when every cursor given so far has been emptied and every call has said that it is done: nothing
     * is kept of the middle of a packet.
     */
    default List<State> states() {
        return List.of();
    }

    /** What a snapshot had of the {@link #states} is in them: called after {@link #open} in place of a fresh start. */
    default void restored() throws Exception {
    }

    /** Releases what {@link #open} took; called once, also after a failure. */
    @Override
    default void close() throws IOException {
    }
}
