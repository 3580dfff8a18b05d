package io.despina.mqtt;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;

/** Sends the PUBACKs of one connection, many at once. Those of a connection that has ended count for nothing. */
final class Acknowledgements {
    private static final int FIRST_ROOM = 64;
    private static final int BYTES = 4;
    private static final int PUBACK = 0x40;
    private static final int LENGTH = 2;

    private final Link link;
    // guarded by this
    private int[] waiting = new int[FIRST_ROOM];
    private int count;
    private boolean scheduled;
    /** Of the connection's thread. */
    private int[] sending = new int[FIRST_ROOM];

    Acknowledgements(Link link) {
        this.link = link;
    }

    /** From any thread. They leave in that order. */
    void add(int id) {
        synchronized (this) {
            if (count == waiting.length) {
                waiting = Arrays.copyOf(waiting, 2 * count);
            }
            waiting[count++] = id;
            if (scheduled) {
                return;
            }
            scheduled = true;
        }
        link.run(this::send);
    }

    private void send() {
        int sent;
        synchronized (this) {
            int[] next = waiting;
            waiting = sending;
            sending = next;
            sent = count;
            count = 0;
            scheduled = false;
        }
        ByteBuf packets = link.buffer(BYTES * sent);
        for (int k = 0; k < sent; k++) {
            packets.writeByte(PUBACK).writeByte(LENGTH).writeShort(sending[k]);
        }
        link.write(packets);
        link.flush();
    }
}
