package io.despina.wire.compress;

import java.util.function.LongSupplier;

/**
 * Finds by trials whether compression pays on a channel. While the socket holds the sender up, it compresses for some time, and
 * stays with that if packets get through faster. It needs no model of the link or the processors, so it is also right where load
 * on either machine only makes the link look slow. The answer is checked again, less and less often while it stays the same.
 * Used by one IO thread.
 */
final class CompressionTrials {
    /**
     * A window lasts at least this long, and until this many bytes were given to the socket, which takes them in large pieces.
     */
    static final long WINDOW_NANOS = 20_000_000;
    static final int WINDOW_BYTES = 512 << 10;
    /** A window of a slow link ends without them. */
    static final long LONGEST_WINDOW_NANOS = 1_000_000_000;
    /**
     * A socket holds up if this part of a window, or more, was spent waiting for it. Where processors are the limit it is less.
     */
    private static final double HELD_UP = 0.7;
    /** How many windows in a row must be held up: fewer may be chance. */
    private static final int IN_A_ROW = 3;
    /** Compressed must be this many times as fast: less may be chance, or is not worth the processors' time. */
    private static final double GAIN = 1.15;
    /** Enough if the socket does not hold up compressed segments any more. */
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
        /** Compressed, for a trial. */
        TRIAL,
        /** Compressed. */
        ON,
        /** Uncompressed, to check whether compression still pays. */
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

    /** Whether {@link #sampled} must be called with the next segment. */
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

    /** A frame is made of that many bytes of packets. */
    void framed(int bytes) {
        raw += bytes;
    }

    /**
     * The socket has taken bytes.
     *
     * @param bytes the bytes
     * @param nanos how long that took because the socket, not the receiving task, was slow
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
                // no segment was sampled
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
