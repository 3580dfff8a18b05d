package io.despina.wire.compress;

import java.util.function.LongSupplier;

/**
 * Whether compressing pays on a channel, found by doing: while the socket holds the sender up, some time is sent compressed,
 * and if packets get through faster that way it stays so. No model of the link or of the processors is needed, so it is right
 * where the link is the limit and where others, on the same machine or on the far one, only make it look so. What has been
 * found is checked again, ever more seldom while the answer stays the same. Used by one IO thread.
 */
final class CompressionTrials {
    /** A window lasts so long, and until so many bytes have been given to the socket, which takes them in lumps. */
    static final long WINDOW_NANOS = 20_000_000;
    static final int WINDOW_BYTES = 512 << 10;
    /** A window of a slow link ends without them. */
    static final long LONGEST_WINDOW_NANOS = 1_000_000_000;
    /**
     * A socket holds up if this part of a window, or more, was spent waiting for it. Where processors are the limit it is less.
     */
    private static final double HELD_UP = 0.7;
    /** So many windows in a row must be held up: less is chance. */
    private static final int IN_A_ROW = 3;
    /** Compressed must be so many times as fast; less is chance, or not worth the processors' time. */
    private static final double GAIN = 1.15;
    /** It is enough if compressed holds nobody up any more. */
    private static final double RELIEF = 1.03;
    /** The compressor's first runs are slow: it is not compiled yet. */
    private static final int FIRST_TRIAL = 8;
    private static final int TRIAL = 2;
    private static final int FIRST_CHECK = 8;
    /** Windows between two trials or two checks, at most. */
    private static final int SELDOM = 256;

    private enum State {
        /** Uncompressed. */
        OFF,
        /** Uncompressed; the next segment shows whether a trial is worth it. */
        SAMPLING,
        /** Compressed, to see. */
        TRIAL,
        /** Compressed. */
        ON,
        /** Uncompressed, to see whether compressing still pays. */
        CHECK
    }

    private final LongSupplier clock;
    private State state = State.OFF;
    private int trial = FIRST_TRIAL;
    /** Windows between trials. */
    private int rest = IN_A_ROW;
    /** Windows between checks. */
    private int faith = FIRST_CHECK;
    /** Windows until the state's next step. */
    private int left = IN_A_ROW;
    /** Of packets, bytes per nanosecond: in the last window uncompressed that was held up, and the last compressed. */
    private double plainRate;
    private double packedRate;
    /** The last window compressed was not held up. */
    private boolean relieved;

    private long windowStart;
    private long written;
    private long raw;
    private long blocked;

    CompressionTrials(LongSupplier clock) {
        this.clock = clock;
        windowStart = clock.getAsLong();
    }

    boolean compresses() {
        return state == State.TRIAL || state == State.ON;
    }

    /** Whether {@link #sampled} is to be told how small a segment gets. */
    boolean wantsSample() {
        return state == State.SAMPLING;
    }

    /** @param promising whether a sample got smaller enough for a trial */
    void sampled(boolean promising) {
        if (promising) {
            state = State.TRIAL;
            left = trial;
            trial = TRIAL;
        } else {
            rest();
        }
    }

    private void rest() {
        state = State.OFF;
        left = rest;
        rest = Math.min(2 * rest, SELDOM);
    }

    /** So many bytes of packets go into a frame. */
    void framed(int bytes) {
        raw += bytes;
    }

    /**
     * What the socket did.
     *
     * @param bytes that it took
     * @param nanos that this took because it, not the receiving task, was slow
     */
    void wrote(long bytes, long nanos) {
        written += bytes;
        blocked += nanos;
        long now = clock.getAsLong();
        long span = now - windowStart;
        if (span >= WINDOW_NANOS && (written >= WINDOW_BYTES || span >= LONGEST_WINDOW_NANOS)) {
            ended((double) raw / span, blocked >= HELD_UP * span);
            windowStart = now;
            written = 0;
            raw = 0;
            blocked = 0;
        }
    }

    private void ended(double rate, boolean heldUp) {
        switch (state) {
            case OFF -> {
                if (!heldUp) {
                    left = Math.max(left, IN_A_ROW);
                } else if (--left <= 0) {
                    plainRate = rate;
                    state = State.SAMPLING;
                }
            }
            case TRIAL -> {
                packed(rate, heldUp);
                if (pays()) {
                    state = State.ON;
                    left = faith;
                } else if (--left <= 0) {
                    rest();
                }
            }
            case ON -> {
                packed(rate, heldUp);
                if (--left <= 0) {
                    state = State.CHECK;
                }
            }
            case CHECK -> {
                plainRate = rate;
                checked(heldUp && pays());
            }
            default -> {
                // No segment came to be sampled.
            }
        }
    }

    private void packed(double rate, boolean heldUp) {
        packedRate = rate;
        relieved = !heldUp;
    }

    private boolean pays() {
        return packedRate > (relieved ? RELIEF : GAIN) * plainRate;
    }

    private void checked(boolean pays) {
        if (pays) {
            state = State.ON;
            faith = Math.min(2 * faith, SELDOM);
            left = faith;
            rest = IN_A_ROW;
        } else {
            faith = FIRST_CHECK;
            rest();
        }
    }
}
