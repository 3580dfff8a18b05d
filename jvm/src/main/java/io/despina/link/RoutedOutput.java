package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentPool;
import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * A port with several channels: each packet is written once beside them and copied to where it goes, in every link to the
 * channel that the link's partition names, or to all.
 */
final class RoutedOutput implements PortOutput, PacketWriter.Store {
    /** What the writer's region has; a larger packet gets one for itself. */
    private static final int SCRATCH = SegmentPool.SMALL;

    private final PortSettings settings;
    private final PacketWriter writer;
    private final Packet view;
    private final boolean needsView;
    private final Router[] routers;
    private final Outlet[] outlets;
    private final Room room;
    private final byte[] scratch = new byte[SCRATCH];
    /** Of a packet larger than {@link #scratch}, while it is written. */
    private Segment large;
    private long packets;

    RoutedOutput(PacketLayout layout, List<OutLink> links, PortSettings settings) {
        this.settings = settings;
        writer = new PacketWriter(layout, this, true);
        view = new Packet(layout);
        Gate gate = new Gate();
        List<Router> all = new ArrayList<>();
        List<Room.Side> sides = new ArrayList<>();
        List<Outlet> flat = new ArrayList<>();
        for (OutLink link : links) {
            Outlet[] own = link.senders().stream()
                    .map(s -> new Outlet(s, link.spec().buffer(), link.counters(), settings, gate)).toArray(Outlet[]::new);
            flat.addAll(List.of(own));
            all.add(Router.of(link.spec().partition(), own));
            sides.add(new Room.Side(own, link.counters()));
        }
        routers = all.toArray(Router[]::new);
        outlets = flat.toArray(Outlet[]::new);
        room = new Room(gate, sides, settings.clock());
        needsView = all.stream().anyMatch(Router::readsPacket);
        writer.open(scratch, 0, SCRATCH);
    }

    @Override
    public PacketWriter writer() {
        return writer;
    }

    @Override
    public boolean hasRoom() {
        return room.is();
    }

    @Override
    public void makeRoom(PacketWriter w, int needed) {
        int most = settings.maxPacketBytes() + Bytes.MAX_VARINT;
        if (needed > most) {
            throw new IllegalArgumentException("a packet of at least " + needed + " bytes; max_packet_bytes="
                    + settings.maxPacketBytes());
        }
        Segment before = large;
        large = settings.pool().take((int) Math.min(most, Math.max(needed, 2L * w.limit())));
        w.move(large.bytes(), 0, large.capacity());
        if (before != null) {
            before.release();
        }
    }

    @Override
    public void committed(PacketWriter w, int start) {
        byte[] bytes = w.bytes();
        int size = w.position() - start;
        if (needsView) {
            view.wrap(bytes, start, w.position());
        }
        for (Router router : routers) {
            router.route(view, bytes, start, size);
        }
        packets++;
        dropLarge();
        w.open(scratch, 0, SCRATCH);
    }

    private void dropLarge() {
        if (large != null) {
            large.release();
            large = null;
        }
    }

    @Override
    public long packets() {
        return packets;
    }

    @Override
    public void due(long nanos) {
        origin(nanos);
    }

    @Override
    public void origin(long nanos) {
        for (Outlet outlet : outlets) {
            outlet.origin(nanos);
        }
    }

    @Override
    public void watermark(long micros, boolean exact) {
        for (Outlet outlet : outlets) {
            outlet.watermark(micros, exact);
        }
    }

    @Override
    public void idle() {
        signal(Segment.Kind.IDLE, 0, false);
    }

    @Override
    public long flush(long now) {
        long due = Long.MAX_VALUE;
        for (Outlet outlet : outlets) {
            due = Math.min(due, outlet.flush(now));
        }
        return due;
    }

    @Override
    public void signal(Segment.Kind kind, long value, boolean exact) {
        for (Outlet outlet : outlets) {
            outlet.signal(kind, value, exact);
        }
    }

    @Override
    public void wakes(Runnable task) {
        for (Outlet outlet : outlets) {
            outlet.wakes(task);
        }
    }

    @Override
    public void close() {
        for (Outlet outlet : outlets) {
            outlet.close();
        }
        dropLarge();
        writer.open(scratch, 0, SCRATCH);
    }
}
