package io.despina.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How long something has lasted in all, the time included for which it lasts now. One thread says when it begins and ends, any
 * thread asks, and what it is told never goes back.
 *
 * <p>An end first clears {@link #since} and then adds to {@link #ended}, both with release, and who asks reads them the other way
 * round. So no time is counted twice; a time that has just ended may be missing for a moment, which {@link #told} hides.
 */
public final class SpentTime {
    private static final long NEVER = Long.MIN_VALUE;
    private static final VarHandle SINCE = handle("since");
    private static final VarHandle ENDED = handle("ended");

    /** Written by the one thread, read by any: nanoseconds when it began, or {@link #NEVER}. */
    private long since = NEVER;
    /** Written by the one thread, read by any: nanoseconds of all times that have ended. */
    private long ended;
    /** Guarded by this: the last answer. */
    private long told;

    private static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(SpentTime.class, field, long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Only the one thread calls this. @param now nanoseconds */
    public void begin(long now) {
        SINCE.setRelease(this, now);
    }

    /** Ends it, if it has begun. Only the one thread calls this. */
    public void end(long now) {
        if (since != NEVER) {
            long all = ended + Math.max(0, now - since);
            SINCE.setRelease(this, NEVER);
            ENDED.setRelease(this, all);
        }
    }

    /** Whether it has begun and not ended. */
    public boolean lasts() {
        return (long) SINCE.getAcquire(this) != NEVER;
    }

    /** Nanoseconds in all. */
    public synchronized long nanos(long now) {
        long before = (long) ENDED.getAcquire(this);
        long from = (long) SINCE.getAcquire(this);
        told = Math.max(told, from == NEVER ? before : before + Math.max(0, now - from));
        return told;
    }
}
