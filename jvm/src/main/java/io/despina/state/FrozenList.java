package io.despina.state;

import io.despina.packet.Packet;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;

/** The {@link ListedPackets} at one instant, or what has changed of them: what has left, then packets from the oldest on. */
final class FrozenList implements Frozen {
    /** So many packets are looked at in a call, if they are not to be written. */
    private static final int LOOKS = 1 << 14;

    private final ListedPackets of;
    private final PacketArena.Frozen packets;
    private final ToIntFunction<Packet> bucket;
    private final SectionForm form;
    private final int shift;
    private final Packet view;
    private final List<Chunk> chunks = new ArrayList<>();
    private long[][] gone;
    private int goneChunk;
    private int goneBit;
    /** The chunk that is written, and where its next packet begins. */
    private int next;
    private int offset;
    /** The group that is written; 0 before the first, which only packets that are the whole state have. */
    private int group;

    /**
     * A chunk of the arena.
     *
     * @param wanted its packets that are written
     * @param end    all wanted bits are below it
     */
    private record Chunk(int number, long age, long[] wanted, long[] marked, int end) {
    }

    /** @param bucket of a packet */
    FrozenList(ListedPackets of, PacketArena.Frozen packets, ToIntFunction<Packet> bucket, SectionForm form) {
        this.of = of;
        this.packets = packets;
        this.bucket = bucket;
        this.form = form;
        shift = of.shift();
        view = of.newView();
    }

    /** Adds a chunk. @param wanted may be null */
    void add(int chunk, ListedPackets.Page page, long[] wanted) {
        int last = wanted == null ? -1 : wanted.length - 1;
        while (last >= 0 && wanted[last] == 0) {
            last--;
        }
        if (last >= 0) {
            int end = (last + 1) * Long.SIZE - Long.numberOfLeadingZeros(wanted[last]);
            chunks.add(new Chunk(chunk, page.age, wanted, page.marked, end));
        }
    }

    /** All chunks were added. @param left by chunk, what has left */
    void begin(long[][] left) {
        gone = left;
        chunks.sort(Comparator.comparingLong(Chunk::age));
    }

    @Override
    public SectionForm form() {
        return form;
    }

    @Override
    public boolean write(SectionWriter to) throws IOException {
        return writeGone(to) && writePackets(to);
    }

    private boolean writeGone(SectionWriter to) {
        for (; goneChunk < gone.length; goneChunk++, goneBit = 0) {
            long[] bits = gone[goneChunk];
            if (bits == ListedPackets.ALL) {
                if (!to.hasRoom()) {
                    return false;
                }
                to.groupGone(of.group(goneChunk));
            }
            for (; bits != null && goneBit < bits.length * Long.SIZE; goneBit++) {
                if (!to.hasRoom()) {
                    return false;
                }
                if (bits[goneBit >> 6] == 0) {
                    goneBit |= Long.SIZE - 1;
                } else if (ListedPackets.has(bits, goneBit)) {
                    enter(goneChunk, to);
                    to.gone(goneBit, 1);
                }
            }
        }
        return true;
    }

    private boolean writePackets(SectionWriter to) throws IOException {
        int looks = 0;
        for (; next < chunks.size(); next++, offset = 0) {
            Chunk chunk = chunks.get(next);
            while (offset >>> shift < chunk.end) {
                if (!to.hasRoom() || ++looks == LOOKS) {
                    return false;
                }
                packets.view((long) chunk.number << Integer.SIZE | offset, view);
                int size = view.size();
                if (ListedPackets.has(chunk.wanted, offset >>> shift)) {
                    write(chunk, to);
                }
                offset += size;
            }
        }
        return true;
    }

    private void write(Chunk chunk, SectionWriter to) throws IOException {
        enter(chunk.number, to);
        DataOutput content = to.beginEntry(bucket.applyAsInt(view), offset >>> shift);
        of.writeHead(content, ListedPackets.has(chunk.marked, offset >>> shift), chunk.age << Integer.SIZE | offset);
        to.packet(view);
        to.endEntry();
    }

    private void enter(int chunk, SectionWriter to) {
        int its = of.group(chunk);
        if (its != group) {
            group = its;
            to.group(its);
        }
    }

    @Override
    public void close() {
        packets.close();
    }
}
