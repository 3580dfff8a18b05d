package io.despina.wire;

import io.despina.socket.SocketThread;
import io.despina.socket.Transport;
import io.netty.channel.EventLoop;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ManualIoEventLoop;
import io.netty.util.concurrent.FastThreadLocalThread;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * IO that is served by a thread which has other work too: its owner calls {@link #poll} between two pieces of that work and
 * {@link #await} when there is none. So an arriving packet is processed, and the result written to the next socket, without
 * waking another thread.
 */
public final class IoLoop {
    /** How long a turn may run the IO's own tasks before the thread returns to its other work. */
    private static final long TURN_NANOS = 100_000;

    private static final long CLOSE_S = 5;

    private final Driven events;

    /** Waits only while its owner has nothing else to do. */
    private static final class Driven extends ManualIoEventLoop {
        /** Read and written by the owner. */
        private BooleanSupplier mayWait = () -> true;

        Driven(IoHandlerFactory handlers) {
            super(null, handlers);
        }

        @Override
        protected boolean canBlock() {
            return mayWait.getAsBoolean();
        }
    }

    IoLoop(IoHandlerFactory handlers) {
        events = new Driven(handlers);
    }

    /** One for sockets of this machine alone, where no other resource is to be reached. */
    public static IoLoop ofThisMachine() {
        return new IoLoop(Transport.newHandlers());
    }

    /**
     * Work for any thread: sockets that it opens to processes of this machine are served by that loop.
     *
     * @param loop asked when there is such a socket; null where it gives none
     */
    public static Runnable serving(Supplier<IoLoop> loop, Runnable work) {
        return SocketThread.servedBy(() -> {
            IoLoop found = loop.get();
            return found == null ? null : found.events;
        }, work);
    }

    /** A thread that may own one; on another, Netty would allocate anew what it keeps for each thread. Not started. */
    public static Thread thread(Runnable body, String name) {
        return new FastThreadLocalThread(body, name);
    }

    EventLoop events() {
        return events;
    }

    /** The calling thread is the owner from now on: it alone calls {@link #poll}, {@link #await} and {@link #close}. */
    public void own() {
        events.setOwningThread(Thread.currentThread());
    }

    /** Serves what is ready, without waiting. */
    public void poll() {
        events.runNow(TURN_NANOS);
    }

    /**
     * Waits until there is IO, {@link #wake} is called or the time is up, and serves what is ready then.
     *
     * @param nanos   the longest wait, more than 0
     * @param mayWait asked once a {@link #wake} can no longer be missed; must see whatever was queued before
     */
    public void await(long nanos, BooleanSupplier mayWait) {
        events.mayWait = mayWait;
        events.run(nanos, TURN_NANOS);
    }

    /** From any thread: ends {@link #await}, or the next one. */
    public void wake() {
        events.wakeup();
    }

    /** Closes every connection that it serves. */
    public void close() {
        events.shutdownGracefully(0, CLOSE_S, TimeUnit.SECONDS);
        while (!events.isTerminated()) {
            events.runNow(TURN_NANOS);
        }
    }
}
