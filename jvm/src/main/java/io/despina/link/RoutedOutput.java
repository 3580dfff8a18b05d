package io.despina.link;

import io.despina.buffer.Segment;
import io.despina.buffer.SegmentKind;
import io.despina.buffer.SegmentPool;
import io.despina.packet.Bytes;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.wake.Waker;
import java.util.ArrayList;
import java.util.List;

/**
 * A port with several channels: packets are written into a batch. When it is full, and before anything is sent, they are copied
 * to their channels: in every link to the one that the link's partition chooses, or to all. A packet larger than the batch gets
 * a segment of its own. Its channels share that segment if the packet would fill one anyway, or if there is no memory for a
 * copy.
 */
final class RoutedOutput implements PortOutput, PacketWriter.Regions {
    /** No more than a channel's least segment, so that a batch fills what is open there and one more at most. */
    private static final int BATCH_BYTES = SegmentPool.SMALL;

    private final PortSettings settings;
    private final PacketWriter writer;
    private final Backpressure backpressure;
    private final Router[] routers;
    private final Outlet[] outlets;
    private final byte[] batch = new byte[BATCH_BYTES];
    /** Takes the place of {@link #batch} while a packet is larger; else null. */
    private Segment large;
    /** Of {@link #large}, once its packet has been sent; else null. */
    private SegmentPool.Shared shared;
    /** Packets in earlier batches. */
    private long routed;
    private long due;
    /** For the channels, after the batch: no segment may carry it before. */
    private long watermark = Long.MIN_VALUE;
    private boolean watermarkPending;
    /**
     * Thrown by a partition's function. It is not the fault of the packet being written, so {@link #flush} throws it; until then
     * nothing is sent.
     */
    private RuntimeException failure;

    RoutedOutput(PacketLayout layout, List<OutLink> links, PortSettings settings) {
        this.settings = settings;
        backpressure = new Backpressure(settings.rank().borrower(), settings.clock());
        writer = new PacketWriter(layout, this);
        List<Router> all = new ArrayList<>();
        List<Outlet> flat = new ArrayList<>();
        for (OutLink link : links) {
            Outlet[] own = link.senders().stream()
                    .map(s -> new Outlet(s, link, settings, backpressure)).toArray(Outlet[]::new);
            flat.addAll(List.of(own));
            all.add(Router.of(layout, link.spec().partition(), own));
            backpressure.add(own, link);
        }
        routers = all.toArray(Router[]::new);
        outlets = flat.toArray(Outlet[]::new);
        writer.open(batch, 0, BATCH_BYTES);
    }

    @Override
    public PacketWriter writer() {
        return writer;
    }

    /**
     * The batch is copied before the channels are asked: a channel that lost its room to the batch later would not know that the
     * task waits for it.
     */
    @Override
    public boolean hasRoom() {
        if (!backpressure.mustLook()) {
            return true;
        }
        routeAll();
        return backpressure.look();
    }

    @Override
    public void makeRoom(PacketWriter w, int needed) {
        int most = settings.maxPacketBytes() + Bytes.MAX_VARINT;
        if (needed > most) {
            throw new IllegalArgumentException("a packet of at least " + needed + " bytes; max_packet_bytes="
                    + settings.maxPacketBytes());
        }
        route();
        Segment before = large;
        SegmentPool.Shared sharedBefore = shared;
        shared = null;
        if (needed <= BATCH_BYTES) {
            large = null;
            w.move(batch, 0, BATCH_BYTES);
        } else {
            takeLarge(needed, (int) Math.min(most, Math.max(needed, 2L * w.limit())), w.packets() == 0 ? before : null);
            w.move(large.bytes(), 0, large.capacity());
            backpressure.lookAgain();
        }
        letGo(before, sharedBefore);
    }

    private static void letGo(Segment large, SegmentPool.Shared shared) {
        if (shared != null) {
            shared.close();
        } else if (large != null) {
            large.release();
        }
    }

    /** @param grown what holds the beginning of the packet; or null */
    private void takeLarge(int needed, int wanted, Segment grown) {
        large = settings.pool().tryTake(wanted);
        if (large == null) {
            large = settings.pool().tryTake(needed);
        }
        if (large == null) {
            large = backpressure.overdraft().take(grown == null ? needed : wanted, grown);
        }
    }

    /** Copies the batch to the channels; the caller then gives the writer another region. */
    private void route() {
        int packets = writer.packets();
        routed += packets;
        if (packets > 0 && failure == null) {
            try {
                if (large != null && packets == 1) {
                    routeLarge();
                } else {
                    for (Router router : routers) {
                        router.route(writer.bytes(), writer.position(), packets);
                    }
                }
            } catch (RuntimeException partition) {
                failure = partition;
            }
        }
        if (watermarkPending) {
            watermarkPending = false;
            for (Outlet outlet : outlets) {
                outlet.watermark(watermark, false);
            }
        }
    }

    private void routeLarge() {
        large.end = writer.position();
        large.packets = 1;
        shared = settings.pool().share(large);
        for (Router router : routers) {
            router.route(shared);
        }
    }

    /** Copies the batch to the channels, and begins another. Only between packets. */
    private void routeAll() {
        route();
        letGo(large, shared);
        large = null;
        shared = null;
        writer.open(batch, 0, BATCH_BYTES);
    }

    @Override
    public long packets() {
        return routed + writer.packets();
    }

    @Override
    public void due(long nanos) {
        if (nanos != due) {
            routeAll();
            due = nanos;
            for (Outlet outlet : outlets) {
                outlet.due(nanos);
            }
        }
    }

    @Override
    public void watermark(long micros, boolean exact) {
        if (!exact) {
            watermarkPending |= micros > watermark;
            watermark = Math.max(watermark, micros);
            return;
        }
        routeAll();
        for (Outlet outlet : outlets) {
            outlet.watermark(micros, true);
        }
    }

    @Override
    public long flush(long now) {
        routeAll();
        if (failure != null) {
            throw failure;
        }
        long due = Long.MAX_VALUE;
        for (Outlet outlet : outlets) {
            due = Math.min(due, outlet.flush(now));
        }
        backpressure.overdraft().leave();
        return due;
    }

    @Override
    public void signal(SegmentKind kind, long value) {
        routeAll();
        if (failure != null) {
            return;
        }
        for (Outlet outlet : outlets) {
            outlet.signal(kind, value);
        }
        if (kind == SegmentKind.BARRIER) {
            for (Router router : routers) {
                router.barrier(value);
            }
        }
    }

    @Override
    public NoRoom noRoom() {
        return backpressure.noRoom();
    }

    @Override
    public void setWaker(Waker task) {
        for (Outlet outlet : outlets) {
            outlet.setWaker(task);
        }
        backpressure.overdraft().setWaker(task);
    }

    @Override
    public void close() {
        routed += writer.packets();
        writer.open(batch, 0, BATCH_BYTES);
        for (Outlet outlet : outlets) {
            outlet.close();
        }
        letGo(large, shared);
        large = null;
        shared = null;
        backpressure.overdraft().leave();
    }
}
