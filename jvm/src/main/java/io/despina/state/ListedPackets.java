package io.despina.state;

import io.despina.packet.Packet;
import io.despina.packet.Schema;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.function.ToIntFunction;

/**
 * Those packets of an arena that are part of a state, however they are arranged: in the window of a key, or on one side of a
 * join. Such a state writes each packet as an entry of its own, and no list of them. So a snapshot costs what was added and
 * dropped since the one before, and a key with very many packets is written in slices like many keys.
 *
 * <p>An entry's group and number are the place of its packet, which is another's when it has left. Packets do not change; a
 * packet can be marked, and is written again then. Of each packet a bit tells whether it is listed, and in a round between two
 * snapshots one whether it is new and one whether it was dropped: a 64th of the packets' memory for each of them. A snapshot
 * shares the bits; those of a chunk are copied before their first change.
 *
 * <pre>
 * content = 0xff (1) · packet; or, if packets can be marked,
 *           0xfe (1), 0xfd if it is · its rank by age (8) · packet
 * </pre>
 *
 * Those of the second of two streams in one state have 0xfc and 0xfb. The first byte tells an entry from others of its state, and
 * from the content of older snapshots, which has all packets of a key.
 */
public final class ListedPackets {
    private static final int ALONE = 0xff;
    private static final int UNMARKED = 0xfe;
    private static final int MARKED = 0xfd;
    private static final int SECOND_UNMARKED = 0xfc;
    private static final int SECOND_MARKED = 0xfb;
    /** Stands for the bits of all packets that a chunk had. */
    static final long[] ALL = {};
    /** Packets of at least so many bytes begin in different eighths of the memory. */
    private static final int EIGHT = 3;
    private static final int NONE = -1;

    private final PacketArena arena;
    private final Schema schema;
    private final Part part;
    private final boolean markable;
    private final int shift;
    private Page[] pages = {};
    /** By chunk: what was dropped since the packets were last frozen, of what was written then. */
    private long[][] gone = {};
    private boolean wasFrozen;
    private long words;

    /** @param rank by the age of its packet */
    public record Mark(boolean isMarked, long rank) {
    }

    /**
     * What the packets are of their state.
     *
     * @param markable whether packets can be marked
     * @param part     their entries have each of the groups whose number, divided by {@code parts}, leaves this
     * @param parts    of the state
     */
    record Part(boolean markable, int part, int parts) {
        /** The packets are the state. */
        static final Part ALL = new Part(false, 0, 1);
        /** The same, if they can be marked. */
        static final Part ALL_MARKABLE = new Part(true, 0, 1);
        /** Packets beside a table, whose entries are of group 0. */
        static final Part BESIDE_TABLE = new Part(false, 1, 2);
        /** Those of a first stream and those of a second one beside a table. */
        static final Part FIRST = new Part(true, 1, 3);
        static final Part SECOND = new Part(true, 2, 3);

        boolean isSecond() {
            return part > 1;
        }
    }

    /** The bits of a chunk's packets. */
    static final class Page {
        final long age;
        long[] listed = new long[1];
        /** Those that the last snapshot does not have, or has without their marks; null if there are none. */
        long[] fresh;
        /** Null if none is marked. */
        long[] marked;
        int count;
        /** Whether a snapshot reads {@link #listed} and {@link #marked}. */
        boolean shared;

        Page(long age) {
            this.age = age;
        }
    }

    /** @param schema of the packets */
    ListedPackets(PacketArena arena, Schema schema, Part part) {
        this.arena = arena;
        this.schema = schema;
        this.part = part;
        markable = part.markable;
        shift = schema.layout().fixedBytes() >= 1 << EIGHT ? EIGHT : 0;
    }

    /** Adds a copy of a packet to the arena and to the state. @return its place */
    long add(Packet packet) {
        long place = arena.add(packet);
        list(place);
        return place;
    }

    /** Removes a packet from the state, if it is listed, and from the arena. */
    void remove(long place) {
        drop(place);
        arena.free(place);
    }

    /** A packet of the arena, which was not listed, becomes part of the state. */
    void list(long place) {
        int chunk = PacketArena.chunk(place);
        int bit = PacketArena.offset(place) >>> shift;
        Page page = page(chunk);
        own(page);
        page.listed = with(page.listed, bit);
        page.count++;
        if (wasFrozen) {
            page.fresh = with(page.fresh, bit);
        }
    }

    /** Marks a packet that is listed. */
    void mark(long place) {
        Page page = pages[PacketArena.chunk(place)];
        int bit = PacketArena.offset(place) >>> shift;
        if (!has(page.marked, bit)) {
            own(page);
            page.marked = with(page.marked, bit);
            page.fresh = wasFrozen ? with(page.fresh, bit) : null;
        }
    }

    /** Whether a packet that is listed is marked. */
    boolean isMarked(long place) {
        return has(pages[PacketArena.chunk(place)].marked, PacketArena.offset(place) >>> shift);
    }

    /** A packet is about to leave the arena. It need not be listed. */
    void drop(long place) {
        int chunk = PacketArena.chunk(place);
        int bit = PacketArena.offset(place) >>> shift;
        Page page = chunk < pages.length ? pages[chunk] : null;
        if (page == null || page.age != arena.age(chunk) || !has(page.listed, bit)) {
            return;
        }
        own(page);
        boolean isNew = !markable && has(page.fresh, bit);
        clear(page.listed, bit);
        clear(page.marked, bit);
        clear(page.fresh, bit);
        page.count--;
        if (wasFrozen) {
            leave(chunk, page.count == 0, isNew ? NONE : bit);
        }
    }

    /** @param bit of a packet that was written; or {@link #NONE} */
    private void leave(int chunk, boolean all, int bit) {
        if (chunk >= gone.length) {
            gone = Arrays.copyOf(gone, Math.max(chunk + 1, 2 * gone.length));
        }
        if (all) {
            words -= wordsOf(gone[chunk]);
            gone[chunk] = ALL;
        } else if (gone[chunk] != ALL && bit != NONE) {
            gone[chunk] = with(gone[chunk], bit);
        }
    }

    private Page page(int chunk) {
        if (chunk >= pages.length) {
            pages = Arrays.copyOf(pages, Math.max(chunk + 1, 2 * pages.length));
        }
        Page page = pages[chunk];
        if (page == null || page.age != arena.age(chunk)) {
            words -= page == null ? 0 : wordsOf(page);
            page = new Page(arena.age(chunk));
            words += wordsOf(page);
            pages[chunk] = page;
        }
        return page;
    }

    private static void own(Page page) {
        if (page.shared) {
            page.listed = page.listed.clone();
            page.marked = page.marked == null ? null : page.marked.clone();
            page.shared = false;
        }
    }

    private long[] with(long[] bits, int bit) {
        int word = bit >> 6;
        long[] wide = bits;
        if (bits == null || word >= bits.length) {
            int length = Math.max(word + 1, bits == null ? 1 : 2 * bits.length);
            wide = bits == null ? new long[length] : Arrays.copyOf(bits, length);
            words += length - (bits == null ? 0 : bits.length);
        }
        wide[word] |= 1L << bit;
        return wide;
    }

    static boolean has(long[] bits, int bit) {
        return bits != null && bit >> 6 < bits.length && (bits[bit >> 6] & 1L << bit) != 0;
    }

    private static void clear(long[] bits, int bit) {
        if (bits != null && bit >> 6 < bits.length) {
            bits[bit >> 6] &= ~(1L << bit);
        }
    }

    private static long wordsOf(Page page) {
        return wordsOf(page.listed) + wordsOf(page.fresh) + wordsOf(page.marked);
    }

    private static long wordsOf(long[] bits) {
        return bits == null ? 0 : bits.length;
    }

    /** Memory of the bits, in bytes; the arena counts the packets. */
    long bytes() {
        return words * Long.BYTES;
    }

    /**
     * The packets that are listed now.
     *
     * @param bucket of a packet; {@link SectionWriter#NO_BUCKET} if it has none
     */
    Frozen freeze(ToIntFunction<Packet> bucket) {
        return freeze(bucket, SectionForm.WHOLE);
    }

    /** What has changed since they were last frozen; all that there is if they never were. */
    Frozen freezeChanges(ToIntFunction<Packet> bucket) {
        return freeze(bucket, wasFrozen ? SectionForm.CHANGES : SectionForm.WHOLE);
    }

    private Frozen freeze(ToIntFunction<Packet> bucket, SectionForm form) {
        boolean changes = form == SectionForm.CHANGES;
        FrozenList now = new FrozenList(this, arena.freeze(), bucket, form);
        for (int chunk = 0; chunk < pages.length; chunk++) {
            Page page = pages[chunk];
            if (page != null) {
                now.add(chunk, page, changes ? page.fresh : page.listed);
                words -= wordsOf(page.fresh);
                page.fresh = null;
                page.shared = true;
                if (page.count == 0) {
                    words -= wordsOf(page);
                    pages[chunk] = null;
                }
            }
        }
        for (long[] bits : gone) {
            words -= wordsOf(bits);
        }
        now.begin(changes ? gone : new long[0][]);
        gone = new long[0][];
        wasFrozen = true;
        return now;
    }

    PacketArena arena() {
        return arena;
    }

    int shift() {
        return shift;
    }

    /** The group of the entries of a chunk's packets. */
    int group(int chunk) {
        return part.part + part.parts * chunk;
    }

    Packet newView() {
        return new Packet(schema.layout());
    }

    /** Nothing is listed any more; the arena is cleared too. */
    void clear() {
        arena.clear();
        pages = new Page[0];
        gone = new long[0][];
        wasFrozen = false;
        words = 0;
    }

    /** Begins the content of an entry. @param rank by age */
    void writeHead(DataOutput content, boolean marked, long rank) throws IOException {
        content.writeByte(!markable ? ALONE : part.isSecond() ? marked ? SECOND_MARKED : SECOND_UNMARKED
                : marked ? MARKED : UNMARKED);
        if (markable) {
            content.writeLong(rank);
        }
    }

    /** Whether an entry of a snapshot is a packet by itself, and not a list of an older engine's. */
    public static boolean isListed(SectionReader entry) {
        return entry.peek() >= SECOND_MARKED;
    }

    /** Whether such an entry is a packet of the second of two streams. */
    public static boolean isOfSecond(SectionReader entry) {
        return entry.peek() < MARKED;
    }

    /**
     * Moves {@code into} to the packet of such an entry; it is valid until the next entry.
     *
     * @return null if packets of its state cannot be marked
     */
    public static Mark read(SectionReader entry, Packet into) throws IOException {
        int kind = entry.data().readUnsignedByte();
        Mark mark = kind == ALONE ? null : new Mark(kind == MARKED || kind == SECOND_MARKED,
                entry.data().readLong());
        entry.packet(into);
        return mark;
    }
}
