package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.wake.Waker;

/** A port with one link and one channel: packets are written straight into the channel's open segment. */
final class DirectOutput implements PortOutput, PacketWriter.Regions {
    private static final byte[] NOTHING = {};

    private final PacketWriter writer;
    private final Backpressure backpressure;
    private final Outlet outlet;
    /** Packets that were in the open segment when the writer was last pointed to it. */
    private int carried;
    private long left;

    DirectOutput(PacketLayout layout, OutLink link, PortSettings settings) {
        backpressure = new Backpressure(settings.rank().borrower(), settings.clock());
        writer = new PacketWriter(layout, this);
        outlet = new Outlet(link.senders().get(0), link, settings, backpressure);
        backpressure.add(new Outlet[] {outlet}, link);
    }

    @Override
    public PacketWriter writer() {
        return writer;
    }

    @Override
    public boolean hasRoom() {
        return backpressure.hasRoom();
    }

    @Override
    public void makeRoom(PacketWriter w, int needed) {
        update();
        Segment old = outlet.renew(needed);
        Segment open = outlet.open();
        left += (old == null ? 0 : old.packets);
        carried = open.packets;
        w.move(open.bytes(), open.end, outlet.limit());
        outlet.retire(old);
    }

    /** Updates the open segment with what the writer has written. */
    private void update() {
        Segment open = outlet.open();
        if (open != null) {
            open.end = writer.position();
            open.packets = carried + writer.packets();
        }
    }

    /** Points the writer to what is open now. Only between packets. */
    private void reopen(int before) {
        Segment open = outlet.open();
        carried = open == null ? 0 : open.packets;
        left += before - carried;
        if (open == null) {
            writer.open(NOTHING, 0, 0);
        } else {
            writer.open(open.bytes(), open.end, outlet.limit());
        }
    }

    private int inOpen() {
        update();
        return outlet.open() == null ? 0 : outlet.open().packets;
    }

    @Override
    public long packets() {
        return left + inOpen();
    }

    @Override
    public void due(long nanos) {
        update();
        outlet.due(nanos);
    }

    @Override
    public void watermark(long micros, boolean exact) {
        if (exact) {
            int before = inOpen();
            outlet.watermark(micros, true);
            reopen(before);
        } else {
            outlet.watermark(micros, false);
        }
    }

    @Override
    public long flush(long now) {
        int before = inOpen();
        long due = outlet.flush(now);
        reopen(before);
        backpressure.overdraft().leave();
        return due;
    }

    @Override
    public boolean passOn(Segment segment) {
        int before = inOpen();
        int packets = segment.packets;
        boolean passed = outlet.passOn(segment);
        if (passed) {
            reopen(before);
            left += packets;
        }
        return passed;
    }

    @Override
    public void signal(SegmentKind kind, long value) {
        int before = inOpen();
        outlet.signal(kind, value);
        reopen(before);
    }

    @Override
    public NoRoom noRoom() {
        return backpressure.noRoom();
    }

    @Override
    public void setWaker(Waker task) {
        outlet.setWaker(task);
        backpressure.overdraft().setWaker(task);
    }

    @Override
    public void close() {
        left += inOpen();
        outlet.close();
        reopen(0);
        backpressure.overdraft().leave();
    }
}
