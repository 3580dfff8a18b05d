package io.despina.link;

import io.despina.buffer.SegmentKind;
import io.despina.packet.Bytes;
import io.despina.packet.Packet;
import io.despina.packet.PacketLayout;
import io.despina.packet.PacketWriter;
import io.despina.wake.Waker;

/** A port without a link: packets are counted and dropped. */
final class UnlinkedOutput implements PortOutput, PacketWriter.Regions {
    private static final int REGION = 4 << 10;

    private final PacketWriter writer;
    private final int maxPacketBytes;
    private byte[] region = new byte[REGION];
    private long dropped;

    UnlinkedOutput(PacketLayout layout, int maxPacketBytes) {
        this.maxPacketBytes = maxPacketBytes;
        writer = new PacketWriter(layout, this);
        writer.open(region, 0, REGION);
    }

    @Override
    public void makeRoom(PacketWriter w, int needed) {
        if (needed > maxPacketBytes + Bytes.MAX_VARINT) {
            throw new IllegalArgumentException("a packet of at least " + needed + " bytes; max_packet_bytes=" + maxPacketBytes);
        }
        dropped += w.packets();
        region = needed <= REGION && region.length == REGION ? region : new byte[Math.max(needed, REGION)];
        w.move(region, 0, region.length);
    }

    @Override
    public PacketWriter writer() {
        return writer;
    }

    @Override
    public boolean pass(Packet packet) {
        dropped++;
        return true;
    }

    /** Always true. Called between packets, so it drops the region of a large one. */
    @Override
    public boolean hasRoom() {
        if (region.length > REGION) {
            dropped += writer.packets();
            region = new byte[REGION];
            writer.open(region, 0, REGION);
        }
        return true;
    }

    @Override
    public long packets() {
        return dropped + writer.packets();
    }

    @Override
    public void due(long nanos) {
    }

    @Override
    public void watermark(long micros, boolean exact) {
    }

    @Override
    public long flush(long now) {
        return Long.MAX_VALUE;
    }

    @Override
    public void signal(SegmentKind kind, long value) {
    }

    @Override
    public void setWaker(Waker task) {
    }

    @Override
    public void close() {
    }
}
