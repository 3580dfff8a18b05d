package io.despina.operator.order;

import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.State;
import java.util.stream.Stream;

/**
 * Two input ports that deliver their packets in one event order, as the watermark of both passes them. Of equal times those of
 * the second port are first.
 */
public final class TwoInOrder implements InOrder {
    private final OrderedInput first;
    private final OrderedInput second;
    /** The one whose packet is next, after {@link #isReady} has said that there is one. */
    private OrderedInput next;

    public TwoInOrder(OrderedInput first, OrderedInput second) {
        this.first = first;
        this.second = second;
        next = first;
    }

    /** Takes packets of the first port. */
    @Override
    public void accept(PacketCursor packets) throws Exception {
        first.accept(packets);
    }

    /** Takes packets of the second port. */
    public void acceptSecond(PacketCursor packets) throws Exception {
        second.accept(packets);
    }

    /** Whether the packet that is delivered is of the second port. */
    public boolean isOfSecond() {
        return next == second;
    }

    @Override
    public void watermark(long grown) {
        first.watermark(grown);
        second.watermark(grown);
    }

    @Override
    public long watermark() {
        return first.watermark();
    }

    @Override
    public int clock() {
        return 0;
    }

    @Override
    public int clockOf(Packet group) {
        return 0;
    }

    @Override
    public boolean isReady() {
        boolean firstReady = first.isReady();
        boolean secondReady = second.isReady();
        next = secondReady && (!firstReady || second.headTime() <= first.headTime()) ? second : first;
        return firstReady || secondReady;
    }

    @Override
    public long headTime() {
        return next.headTime();
    }

    @Override
    public Packet head() {
        return next.head();
    }

    @Override
    public void dropHead() {
        next.dropHead();
    }

    @Override
    public void late(Packet kept) {
        next.late(kept);
    }

    @Override
    public boolean hasRoomForLate() {
        return next.hasRoomForLate();
    }

    @Override
    public State[] states() {
        return Stream.of(first.states(), second.states()).flatMap(Stream::of).toArray(State[]::new);
    }

    @Override
    public void restored() {
        first.restored();
        second.restored();
    }
}
