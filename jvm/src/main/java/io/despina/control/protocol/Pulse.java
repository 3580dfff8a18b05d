package io.despina.control.protocol;

import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Tells by what is heard over a connection whether the other side lives. Both sides beat every {@link #EVERY_MILLIS}, and each
 * beat says for how long its sender was held up: by a collection, a busy machine, or a stop of its process. So a side that is
 * held up now and then is waited for longer than one that never was. This side's own delays count for nobody's silence: those of
 * the thread that looks, and those of the one that hears, which on a busy machine may be late while the other is in time.
 *
 * <p>One thread calls {@link #heard} and {@link #beat}, another one {@link #look}, every {@link #EVERY_MILLIS}.
 */
public final class Pulse {
    public static final long EVERY_MILLIS = 200;
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(EVERY_MILLIS);
    /**
     * Silence after which the other side counts as lost where nobody gains by an early verdict. Shorter than an epoch may take,
     * so that a job whose last epoch waits for a lost side fails because of the loss.
     */
    static final long PATIENT_MILLIS = 8_000;
    /** The same where a job goes on without the other side. */
    static final long SILENCE_MILLIS = 1_500;
    /** The same there of a side that was held up lately. */
    static final long HELD_UP_MILLIS = 5_000;
    /** To be held up for so long is worth more patience. */
    static final long LONG_PAUSE_MILLIS = 500;
    /** For how long after such a pause there is more patience. */
    static final long LATELY_MILLIS = 60_000;

    private final LongSupplier clock;
    /** Nanoseconds; written by the connection's thread, read by the one that looks. */
    private volatile long lastHeard;
    /** Likewise; whether there ever was a long pause is told by the flag. */
    private volatile long patientUntil;
    private volatile boolean wasHeldUp;

    /** Whether the thread that hears has been asked for a turn that has not come. */
    private volatile boolean isAsked;

    // of the thread that looks
    private long lastLook;
    private long judgesFrom;
    private long askedAt;
    private boolean wasBehind;
    private boolean early;

    /** @param clock nanoseconds, monotonic */
    public Pulse(LongSupplier clock) {
        this.clock = clock;
        begin();
    }

    /** Silence counts from here. Before the first look. */
    public void begin() {
        long now = clock.getAsLong();
        lastHeard = now;
        lastLook = now;
        judgesFrom = now;
    }

    /** Something has arrived. */
    public void heard() {
        lastHeard = clock.getAsLong();
    }

    /** A beat has arrived. @param pauseMillis for how long the other side was held up since its last one */
    public void beat(long pauseMillis) {
        long now = clock.getAsLong();
        lastHeard = now;
        if (pauseMillis >= LONG_PAUSE_MILLIS) {
            patientUntil = now + TimeUnit.MILLISECONDS.toNanos(LATELY_MILLIS);
            wasHeldUp = true;
        }
    }

    /**
     * Time to beat.
     *
     * @param isEarly whether a job goes on without the other side, so that an early verdict is worth a wrong one
     * @param hears   the thread that hears, which also writes the beats
     * @return for how many milliseconds this side was held up since the last look, to be told
     */
    public long look(boolean isEarly, Executor hears) {
        long now = clock.getAsLong();
        long late = now - lastLook - EVERY_NANOS;
        lastLook = now;
        early = isEarly;
        boolean isBehind = isAsked;
        if (late > EVERY_NANOS || isBehind || wasBehind) {
            // what came meanwhile has not been read yet
            judgesFrom = now + EVERY_NANOS;
        }
        wasBehind = isBehind;
        if (!isBehind) {
            askedAt = now;
            isAsked = true;
            hears.execute(() -> isAsked = false);
        }
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(Math.max(late, now - askedAt)));
    }

    /** Whether the other side was silent for too long, at the time of the last look. */
    public boolean isLost() {
        return lastLook - judgesFrom >= 0 && lastLook - lastHeard > TimeUnit.MILLISECONDS.toNanos(limitMillis());
    }

    private long limitMillis() {
        return !early ? PATIENT_MILLIS : wasHeldUp && lastLook - patientUntil < 0 ? HELD_UP_MILLIS : SILENCE_MILLIS;
    }

    /** The silence that was too long, in words. */
    public String words() {
        long limit = limitMillis();
        return "sent nothing for " + (limit % 1_000 == 0 ? Long.toString(limit / 1_000) : Double.toString(limit / 1e3)) + " s";
    }
}
