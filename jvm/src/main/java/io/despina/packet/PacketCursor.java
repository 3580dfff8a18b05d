package io.despina.packet;

/**
 * Walks the packets of a region in order. In production a single subclass is loaded, so the JIT compiles its calls as direct
 * ones.
 */
public abstract class PacketCursor {
    private static final byte[] NOTHING = {};

    private byte[] bytes;
    private int position;
    /** Where the packet begins that was given last. */
    private int last;
    private int limit;

    /** Starts over on {@code region[from, to)}. */
    public final void reset(byte[] region, int from, int to) {
        bytes = region;
        position = from;
        last = from;
        limit = to;
    }

    /** Drops its reference to the region, which may be large and belongs to another owner from now on. */
    public final void letGo() {
        reset(NOTHING, 0, 0);
        letGoOfView();
    }

    void letGoOfView() {
    }

    /** The next packet, or null at the end. It is valid only until the next call. */
    public abstract Packet next();

    public final boolean isEmpty() {
        return position == limit;
    }

    public final int position() {
        return position;
    }

    /** Takes back the packet given last: {@link #next} gives it again. For an operator that yields in the middle of one. */
    public final void unread() {
        position = last;
    }

    /**
     * Skips the packets that follow, at most {@code most} bytes of them, without reading their columns. They begin at
     * {@link #position} as it was before.
     *
     * @return how many; 0 also if this cursor gives packets only one by one
     */
    int skip(int most) {
        return 0;
    }

    /** A view of its own of the packet given last; null if there is none, or it was taken back. */
    public final Packet given(PacketLayout layout) {
        if (position == last) {
            return null;
        }
        Packet view = new Packet(layout);
        view.wrap(bytes, last, position);
        return view;
    }

    /** Starts {@code other} over on what is left here. */
    public final void ahead(PacketCursor other) {
        other.reset(bytes, position, limit);
    }

    final byte[] bytes() {
        return bytes;
    }

    /** See {@link #skip}. */
    final int skipWithin(int most, int least) {
        byte[] region = bytes;
        int to = limit;
        int stop = Math.min(to, position + most);
        int at = position;
        int packets = 0;
        while (at < stop) {
            byte first = region[at];
            int length = first;
            int body = at + 1;
            if (first < 0) {
                length = Bytes.getVarint(region, at, to);
                body = length < 0 ? at : at + Bytes.varintLength(region, at);
            }
            if (length < least || length > stop - body) {
                break;
            }
            int size = body + length - at;
            do {
                last = at;
                at += size;
                packets++;
                // guesses that the next packet has the same length, so that its position does not wait for the length before it
            } while (first >= 0 && at <= stop - size && region[at] == first);
        }
        position = at;
        return packets;
    }

    protected final Packet advance(Packet view) {
        last = position;
        position = view.wrap(bytes, position, limit);
        return view;
    }

    /** A cursor that moves one view from packet to packet. */
    public static PacketCursor reusing(PacketLayout layout) {
        return new Reusing(layout);
    }

    private static final class Reusing extends PacketCursor {
        private final Packet view;

        Reusing(PacketLayout layout) {
            view = new Packet(layout);
        }

        @Override
        public Packet next() {
            return isEmpty() ? null : advance(view);
        }

        @Override
        void letGoOfView() {
            view.letGo();
        }

        @Override
        int skip(int most) {
            return skipWithin(most, view.layout().fixedBytes);
        }
    }
}
