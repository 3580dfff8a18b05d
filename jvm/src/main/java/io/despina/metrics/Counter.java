package io.despina.metrics;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** A number that one thread raises and any thread reads. */
public final class Counter {
    private static final VarHandle VALUE = handle();

    /** Written (opaque) by the one thread that counts, read (opaque) by any: each number is whole, none orders another. */
    private long value;

    private static VarHandle handle() {
        try {
            return MethodHandles.lookup().findVarHandle(Counter.class, "value", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Only the counting thread calls this. */
    public void add(long more) {
        VALUE.setOpaque(this, value + more);
    }

    /** Only the counting thread calls this. */
    public void set(long total) {
        VALUE.setOpaque(this, total);
    }

    public long get() {
        return (long) VALUE.getOpaque(this);
    }
}
