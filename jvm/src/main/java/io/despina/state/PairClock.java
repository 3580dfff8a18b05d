package io.despina.state;

/** The two clocks of a key. */
public final class PairClock {
    int entry;
    long reached = Long.MIN_VALUE;
    /** To where a silence in both streams has moved the watermark. */
    long floor = Long.MIN_VALUE;
    final ClockedLine left = new ClockedLine();
    final ClockedLine right = new ClockedLine();

    /** The watermark up to which all has been done; it is that of the key, unless it has just grown. */
    public long reached() {
        return reached;
    }

    public ClockedLine left() {
        return left;
    }

    public ClockedLine right() {
        return right;
    }
}
