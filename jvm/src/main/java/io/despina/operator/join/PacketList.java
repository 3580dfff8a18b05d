package io.despina.operator.join;

import io.despina.packet.Packet;
import io.despina.state.StateFormat;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;

/** Copies of packets, one after the other in the order in which they came. */
final class PacketList {
    private static final byte[] NONE = {};
    private static final int FIRST = 64;

    private byte[] bytes = NONE;
    private int end;
    private int count;

    void add(Packet packet) {
        int size = packet.size();
        if (size > bytes.length - end) {
            bytes = Arrays.copyOf(bytes, (int) Math.max(Math.min(2L * bytes.length, Integer.MAX_VALUE - Long.BYTES),
                    Math.max(FIRST, Math.addExact(end, size))));
        }
        System.arraycopy(packet.bytes(), packet.start(), bytes, end, size);
        end += size;
        count++;
    }

    int count() {
        return count;
    }

    /** Where the packets end. */
    int end() {
        return end;
    }

    /** Moves {@code into} to the packet at {@code position}; the first is at 0. @return the position of the next */
    int view(int position, Packet into) {
        return into.wrap(bytes, position, end);
    }

    /** The memory of the packets. */
    int bytes() {
        return bytes.length;
    }

    void write(DataOutput out, Packet view) throws IOException {
        out.writeInt(count);
        for (int position = 0; position < end;) {
            position = view(position, view);
            StateFormat.writePacket(out, view);
        }
    }

    void read(DataInput in, String name, Packet view) throws IOException {
        for (int left = StateFormat.readCount(in, name, Integer.MAX_VALUE); left > 0; left--) {
            StateFormat.readPacket(in, name, view);
            add(view);
        }
    }
}
