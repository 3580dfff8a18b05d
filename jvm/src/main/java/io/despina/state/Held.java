package io.despina.state;

/**
 * Packets that were taken, and whose rows have not all left. A packet that is in several open windows counts once.
 *
 * @param packets that have given no row and may still give one, or are in an open window
 * @param windows the open windows that some of them are in; each group's by itself where groups have windows of their own
 */
public record Held(long packets, long windows) {
    public static final Held NONE = new Held(0, 0);

    /** Packets that are in no window. */
    public static Held waiting(long packets) {
        return packets == 0 ? NONE : new Held(packets, 0);
    }

    public Held plus(Held more) {
        return more == NONE ? this : new Held(packets + more.packets, windows + more.windows);
    }
}
