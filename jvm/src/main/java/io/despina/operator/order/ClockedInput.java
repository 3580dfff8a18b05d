package io.despina.operator.order;

import io.despina.operator.OperatorContext;
import io.despina.operator.Output;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.ClockedPackets;
import io.despina.state.ClockedPackets.KeyClock;
import io.despina.state.EventOrder;
import io.despina.state.ScratchPacket;
import io.despina.state.State;

/**
 * Delivers packets in event order key by key: they wait here until their key's clock passes them. A packet moves the clock of its
 * key alone, so only that key can have packets to deliver, and they are taken before the next packet is looked at. The only
 * watermark that comes is that of the end of the input. A packet with an event time before its key's watermark is late, and moves
 * no clock. A timer moves the clock of a key that has fallen silent.
 */
public final class ClockedInput implements InOrder {
    private final int timeColumn;
    private final Taking taking;
    private final OperatorContext context;
    private final Output out;
    private final LatePort late;
    private final KeyReader keys;
    private final ClockedPackets waiting;
    private final Clocks clocks;
    private final IdleKeys idle;
    private final ScratchPacket scratch;
    /** The clock that a packet has moved, while what it lets out is taken; else null. */
    private KeyClock current;
    private boolean ended;
    /** At the end, how many clocks have been stopped. */
    private int stopped;

    ClockedInput(OperatorContext context, EventOrder order, Clocks clocks, Taking taking) {
        this.context = context;
        this.taking = taking;
        timeColumn = order.time();
        out = context.output(0);
        late = new LatePort(context, context.input(0));
        this.clocks = clocks;
        idle = new IdleKeys(context, clocks.idleMicros());
        scratch = new ScratchPacket(clocks.keys().schema().layout());
        keys = new KeyReader(clocks.keys(), context.instance());
        KeyReader forSnapshots = new KeyReader(clocks.keys(), context.instance());
        waiting = new ClockedPackets("waiting", new ClockedPackets.Key(clocks.keys().schema(), clocks.keys().dealing(),
                clocks::watermark, forSnapshots::of), context.input(0), order);
    }

    @Override
    public void accept(PacketCursor packets) throws Exception {
        if (!out.hasRoom()) {
            return;
        }
        long now = idle.hear();
        Packet packet;
        while (late.hasRoom() && (packet = packets.next()) != null) {
            if (current == null) {
                take(packet, now);
            }
            if (current != null && !deliver()) {
                packets.unread();       // it has been taken; so this is called again
                break;
            }
        }
        waiting.compact();
    }

    private boolean deliver() throws Exception {
        if (!taking.takeReady(this)) {
            return false;
        }
        current = null;
        return true;
    }

    private void take(Packet packet, long now) throws Exception {
        if (packet.isNull(timeColumn)) {
            context.badRecord(new IllegalArgumentException("its event time is NULL"), packet);
            return;
        }
        KeyClock clock = waiting.clock(keys.of(packet));
        clock.hear(now);
        long time = packet.getLong(timeColumn);
        if (time < clock.watermark()) {
            late.write(packet);
        } else if (waiting.add(clock, time, packet)) {
            current = clock;
        }
    }

    @Override
    public boolean timer(long micros, long reach) throws Exception {
        return idle.look(micros, waiting.limit(), (clock, since) -> {
            if (current == null) {
                current = waiting.moveOn(clock, since, reach);
            }
            return current == null || deliver();
        });
    }

    @Override
    public void watermark(long grown) {
        ended = grown == Long.MAX_VALUE;
    }

    @Override
    public long watermark() {
        return ended ? Long.MAX_VALUE : current == null ? Long.MIN_VALUE : current.watermark();
    }

    @Override
    public int clock() {
        return current == null ? 0 : current.entry();
    }

    @Override
    public int clockOf(Packet group) {
        return waiting.find(clocks.of(group, scratch));
    }

    @Override
    public boolean isReady() {
        if (current != null && current.isReady()) {
            return true;
        }
        while (ended && stopped < waiting.limit()) {
            current = waiting.stop(stopped++);
            if (current != null && current.isReady()) {
                return true;
            }
        }
        return false;
    }

    @Override
    public long headTime() {
        return current.firstTime();
    }

    @Override
    public Packet head() {
        return waiting.head(current);
    }

    @Override
    public void dropHead() {
        waiting.dropHead(current);
    }

    @Override
    public void late(Packet kept) {
        late.write(kept);
    }

    @Override
    public boolean hasRoomForLate() {
        return late.hasRoom();
    }

    @Override
    public State[] states() {
        return new State[] {waiting};
    }

    @Override
    public void restored() {
        current = null;
        stopped = 0;
        waiting.restored(idle.restored());
    }
}
