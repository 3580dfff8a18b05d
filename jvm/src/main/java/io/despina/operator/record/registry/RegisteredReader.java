package io.despina.operator.record.registry;

import io.despina.operator.OperatorContext;
import io.despina.operator.Reason;
import io.despina.operator.record.value.BinaryReader;
import io.despina.operator.record.value.RegisteredId;
import io.despina.packet.PacketWriter;
import io.despina.registry.RegistryClient;
import io.despina.registry.RegistryException;
import java.io.Closeable;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * Reads records that begin with the number of their schema, which a registry has. A number that is not known yet is asked
 * for on another thread, and the task is woken; a registry that is away is asked until it answers. Many numbers are kept.
 */
public final class RegisteredReader implements BinaryReader, Closeable {
    private static final int MOST = 1_000;
    private static final long FIRST_MILLIS = 50;
    private static final long MOST_MILLIS = 10_000;
    /** After so long, a number that the registry does not have is asked for again. */
    private static final long UNKNOWN_NANOS = TimeUnit.SECONDS.toNanos(30);

    /**
     * What is known of a number.
     *
     * @param reader null for a schema that cannot be read
     * @param why    it cannot
     * @param until  nanoseconds of the job's clock
     */
    private record Known(BinaryReader reader, String why, long until) {
    }

    /**
     * Who asks.
     *
     * @param threads that may block
     */
    public record Asking(RegistryClient client, Executor threads, OperatorContext context) {
    }

    private final Asking asking;
    private final RegisteredSchemas format;
    /** Guarded by this: those that were used last. */
    private final Map<Integer, Known> schemas = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Integer, Known> eldest) {
            return size() > MOST;
        }
    };
    /** Guarded by this. */
    private boolean asks;
    /** Guarded by this: why nothing more can be read; null while all is well. */
    private RegistryException failure;
    /** Guarded by this. */
    private boolean closed;
    /** Of the task: the number that was looked up last, and what is known of it. */
    private int id;
    private Known known;

    public RegisteredReader(Asking asking, RegisteredSchemas format) {
        this.asking = asking;
        this.format = format;
    }

    /**
     * Whether {@link #read} can say what the record is. If not, its schema is asked for, and the task woken.
     *
     * @throws RegistryException if the registry does not let us ask
     */
    public boolean isReady(byte[] bytes, int from, int to) throws RegistryException {
        if (!RegisteredId.isThere(bytes, from, to)) {
            return true;
        }
        int wanted = RegisteredId.of(bytes, from);
        if (known != null && wanted == id && isFresh(known)) {
            return true;
        }
        synchronized (this) {
            Known found = schemas.get(wanted);
            if (found != null && isFresh(found)) {
                id = wanted;
                known = found;
                return true;
            }
            if (failure != null) {
                throw failure;
            }
            if (!asks) {
                asks = true;
                asking.threads.execute(() -> ask(wanted));
            }
            return false;
        }
    }

    private boolean isFresh(Known one) {
        return one.until == Long.MAX_VALUE || asking.context.clock().getAsLong() < one.until;
    }

    @Override
    public String read(byte[] bytes, int from, int to, PacketWriter out) {
        if (!RegisteredId.isThere(bytes, from, to)) {
            return "it does not begin with a zero and the number of a schema, as records of a `registry` do";
        }
        if (known == null || RegisteredId.of(bytes, from) != id) {
            throw new IllegalStateException("the schema is not looked up");
        }
        return known.reader == null ? known.why : known.reader.read(bytes, from + RegisteredId.BYTES, to, out);
    }

    /** On another thread, until there is an answer. */
    private void ask(int wanted) {
        try {
            askUntilAnswered(wanted);
        } catch (RuntimeException | Error e) {      // else the records would wait for ever
            answered(wanted, null, new RegistryException(RegistryException.Why.REFUSED,
                    "schema " + wanted + " cannot be asked for: " + Reason.of(e), e));
        }
    }

    private void askUntilAnswered(int wanted) {
        boolean told = false;
        for (long millis = FIRST_MILLIS; !isClosed(); millis = Math.min(2 * millis, MOST_MILLIS)) {
            try {
                answered(wanted, of(wanted), null);
                return;
            } catch (RegistryException e) {
                if (e.why() == RegistryException.Why.UNKNOWN) {
                    answered(wanted, new Known(null, e.getMessage(), asking.context.clock().getAsLong() + UNKNOWN_NANOS), null);
                    return;
                }
                if (e.why() == RegistryException.Why.REFUSED) {
                    answered(wanted, null, e);
                    return;
                }
                if (!told) {
                    asking.context.warn(e.getMessage() + "; records wait for schema " + wanted);
                    told = true;
                }
                pause(millis);
            }
        }
    }

    private Known of(int wanted) throws RegistryException {
        try {
            return new Known(format.reader(asking.client, wanted), null, Long.MAX_VALUE);
        } catch (UnreadableSchemaException why) {
            return new Known(null, why.getMessage(), Long.MAX_VALUE);
        }
    }

    private void answered(int wanted, Known found, RegistryException why) {
        synchronized (this) {
            if (found != null) {
                schemas.put(wanted, found);
            }
            failure = why;
            asks = false;
        }
        asking.context.wake();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    private synchronized void pause(long millis) {
        try {
            if (!closed) {
                wait(millis);
            }
        } catch (InterruptedException e) {
            closed = true;
        }
    }

    /** Whoever asks just now ends with its answer. */
    @Override
    public synchronized void close() {
        closed = true;
        notifyAll();
    }
}
