package io.despina.packet;

import java.util.Arrays;

/** Copies of packets, one after the other in an array, behind room for a head. One thread. */
public final class PacketBlock {
    private static final int FIRST_BYTES = 1 << 12;
    /** A larger array is not kept. */
    private static final int KEPT_BYTES = 1 << 20;

    private final int head;
    private final int wanted;
    private byte[] bytes = new byte[FIRST_BYTES];
    private int length;
    private int packets;

    /**
     * @param head   bytes before the first packet
     * @param wanted bytes with which it is full; a packet may make it larger
     */
    public PacketBlock(int head, int wanted) {
        this.head = head;
        this.wanted = wanted;
        length = head;
    }

    /** @return whether it is full */
    public boolean add(Packet packet) {
        int size = packet.size();
        if (length + size > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + size));
        }
        System.arraycopy(packet.bytes(), packet.start(), bytes, length, size);
        length += size;
        packets++;
        return length >= wanted;
    }

    public boolean isEmpty() {
        return packets == 0;
    }

    /** The head and the packets, up to {@link #length}. */
    public byte[] bytes() {
        return bytes;
    }

    /** With the head. */
    public int length() {
        return length;
    }

    public int packets() {
        return packets;
    }

    /** Drops what is behind the first packets. @param end where the last of them ends */
    public void cut(int end, int first) {
        length = end;
        packets = first;
    }

    public void clear() {
        length = head;
        packets = 0;
        if (bytes.length > Math.max(KEPT_BYTES, 2 * wanted)) {
            bytes = new byte[FIRST_BYTES];
        }
    }
}
