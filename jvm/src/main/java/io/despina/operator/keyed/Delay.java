package io.despina.operator.keyed;

import io.despina.operator.Holding;
import io.despina.operator.OperatorContext;
import io.despina.operator.OperatorState;
import io.despina.operator.Output;
import io.despina.operator.order.WallTime;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.state.EventOrder;
import io.despina.state.HeldPackets;
import io.despina.state.NamedNumbers;
import io.despina.state.State;
import java.util.List;

/**
 * Holds each packet for a time by the wall clock, and lets it go in the order in which it came. Watermarks keep their place
 * between the packets: a packet that was not late before is not late behind. While the output is full it takes none.
 */
public final class Delay implements Holding {
    private final long hold;

    private OperatorContext context;
    private Output out;
    private WallTime wall;
    private HeldPackets held;
    private NamedNumbers progress;
    private OperatorState state;
    private long watermark = Long.MIN_VALUE;
    private long passed = Long.MIN_VALUE;
    /** Whether the inputs are idle, and the task behind has not been told. */
    private boolean idle;

    /** @param hold microseconds, greater than 0 */
    public Delay(long hold) {
        this.hold = hold;
    }

    @Override
    public void open(OperatorContext opened) {
        context = opened;
        out = opened.output(0);
        wall = new WallTime(opened);
        held = new HeldPackets("held", opened.input(0));
        progress = new NamedNumbers("watermark", Long.MIN_VALUE);
        state = new OperatorState(opened).with(wall.state(), progress, held);
    }

    @Override
    public void process(int port, PacketCursor packets) {
        long now = wall.now();
        release(now);
        Packet packet;
        while (out.hasRoom() && (packet = packets.next()) != null) {
            held.add(now, packet, watermark);
        }
        idle = false;
        wakeAtFirst();
        state.report();
    }

    /** Lets the packets go that are due; false if the output is full. */
    private boolean release(long now) {
        while (!held.isEmpty() && firstDue() <= now) {
            if (!out.hasRoom()) {
                return false;
            }
            pass(held.firstWatermark(), true);
            out.writer().copy(held.first());
            held.removeFirst();
        }
        passRest();
        return true;
    }

    private long firstDue() {
        return EventOrder.plus(held.firstTime(), hold);
    }

    /** @param exact whether a packet follows that may be late */
    private void pass(long before, boolean exact) {
        if (before > passed) {
            passed = before;
            out.watermark(before, exact);
        }
    }

    /** What came after the last packet. */
    private void passRest() {
        if (held.isEmpty()) {
            pass(watermark, false);
            if (idle) {
                idle = false;
                out.idle();
            }
        }
    }

    private void wakeAtFirst() {
        context.wakeAt(held.isEmpty() ? Long.MAX_VALUE : firstDue());
    }

    @Override
    public boolean watermark(long grown) {
        watermark = grown;
        progress.set(0, grown);
        passRest();
        return true;
    }

    @Override
    public void idle() {
        idle = true;
        passRest();
    }

    @Override
    public boolean timer(long micros) {
        boolean done = release(wall.now());
        if (done) {
            wakeAtFirst();
        }
        state.report();
        return done;
    }

    @Override
    public boolean end() {
        return held.isEmpty();
    }

    @Override
    public List<State> states() {
        return state.all();
    }

    @Override
    public void restored() {
        watermark = progress.get(0);
        held.settle(watermark);
        wakeAtFirst();
    }
}
