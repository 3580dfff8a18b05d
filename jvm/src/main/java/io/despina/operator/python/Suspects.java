package io.despina.operator.python;

/**
 * Packets that may have killed a process. They go in smaller batches, one at a time, and are asked of its own function alone, if
 * the process calls others too: so what kills one is found by the operator that it is of.
 */
final class Suspects {
    private final BatchLimits limits;
    private int packets;
    private int most;
    private boolean alone;

    Suspects(BatchLimits limits) {
        this.limits = limits;
        most = limits.rows();
    }

    boolean areThere() {
        return packets > 0;
    }

    /** The most rows of a batch. */
    int most() {
        return most;
    }

    /** Whether functions behind are not called. */
    boolean goAlone() {
        return alone;
    }

    /** A process has died. @param done of the packets that were asked, which have left @param rest how many have not */
    void died(int done, int rest) {
        packets = Math.max(packets - done, rest);
        most = packets == 0 ? limits.rows() : Math.max(1, rest / 2);
        alone = true;
    }

    /** So many packets are answered. */
    void answered(int these) {
        packets = Math.max(0, packets - these);
        most = packets == 0 ? limits.rows() : most;
        alone = packets > 0;
    }
}
