package io.despina.operator.join;

import io.despina.packet.ListInput;
import io.despina.packet.ListOutput;
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
    private static final int STEP = 64;

    private byte[] bytes = NONE;
    private int end;
    private int count;
    /** Where each {@link #STEP}-th packet begins, the first at 0. */
    private int[] steps = {};

    void add(Packet packet) {
        int size = packet.size();
        if (size > bytes.length - end) {
            bytes = Arrays.copyOf(bytes, (int) Math.max(Math.min(2L * bytes.length, Integer.MAX_VALUE - Long.BYTES),
                    Math.max(FIRST, Math.addExact(end, size))));
        }
        if (count % STEP == 0) {
            steps = count / STEP == steps.length ? Arrays.copyOf(steps, 2 * steps.length + 1) : steps;
            steps[count / STEP] = end;
        }
        System.arraycopy(packet.bytes(), packet.start(), bytes, end, size);
        end += size;
        count++;
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
    long bytes() {
        return bytes.length + (long) Integer.BYTES * steps.length;
    }

    void write(DataOutput out, Packet view) throws IOException {
        int apart = ListOutput.apart(out, this, count, (from, to, part) -> write(from, to, part, view));
        out.writeInt(count - apart);
        write(apart, count, out, view);
    }

    private void write(int from, int to, DataOutput out, Packet view) throws IOException {
        int position = from < count ? steps[from / STEP] : end;
        for (int k = from - from % STEP; k < to; k++) {
            position = view(position, view);
            if (k >= from) {
                StateFormat.writePacket(out, view);
            }
        }
    }

    void read(DataInput in, String name, Packet view) throws IOException {
        int follow = ListInput.begin(in, (some, part) -> read(some, part, name, view));
        read(StateFormat.checkCount(follow, name, Integer.MAX_VALUE), in, name, view);
    }

    private void read(int some, DataInput in, String name, Packet view) throws IOException {
        for (int left = some; left > 0; left--) {
            StateFormat.readPacket(in, name, view);
            add(view);
        }
    }
}
