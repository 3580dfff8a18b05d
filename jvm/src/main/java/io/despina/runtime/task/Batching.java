package io.despina.runtime.task;

import io.despina.buffer.Segment;
import io.despina.packet.Packet;
import io.despina.packet.PacketCursor;
import io.despina.packet.PacketLayout;
import java.util.Arrays;

/** In which portions an operator gets the packets of a segment. */
interface Batching {

    /** Sets the cursor of that input port on the first portion. */
    void begin(int port, PacketCursor cursor, Segment segment);

    /** The cursor is empty: sets it on the next portion. @return false at the segment's end */
    boolean next(PacketCursor cursor);

    /** Whether a whole segment may be passed on. */
    boolean isWhole();

    /** How long a run may last, in nanoseconds, before other tasks have their turn; 0: one portion. */
    long slice();

    /** The whole segment at once: batched scheduling. */
    final class BySegment implements Batching {
        private static final long SLICE = 500_000;

        @Override
        public void begin(int port, PacketCursor cursor, Segment segment) {
            cursor.reset(segment.bytes(), segment.start, segment.end);
        }

        @Override
        public boolean next(PacketCursor cursor) {
            return false;
        }

        @Override
        public boolean isWhole() {
            return true;
        }

        @Override
        public long slice() {
            return SLICE;
        }
    }

    /** One packet in one run: {@code batch_scheduling: false}, an experiment's switch. */
    final class ByPacket implements Batching {
        private final Packet[] probes;
        private Packet probe;
        private byte[] bytes;
        private int at;
        private int end;

        /** @param layouts one per input port */
        ByPacket(PacketLayout... layouts) {
            probes = Arrays.stream(layouts).map(Packet::new).toArray(Packet[]::new);
        }

        @Override
        public void begin(int port, PacketCursor cursor, Segment segment) {
            probe = probes[port];
            bytes = segment.bytes();
            at = segment.start;
            end = segment.end;
            next(cursor);
        }

        @Override
        public boolean next(PacketCursor cursor) {
            if (at == end) {
                cursor.reset(bytes, end, end);
                return false;
            }
            int from = at;
            at = probe.wrap(bytes, from, end);
            cursor.reset(bytes, from, at);
            return true;
        }

        @Override
        public boolean isWhole() {
            return false;
        }

        @Override
        public long slice() {
            return 0;
        }
    }
}
