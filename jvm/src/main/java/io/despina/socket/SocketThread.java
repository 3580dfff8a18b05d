package io.despina.socket;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Who serves the sockets that a thread opens to processes of this machine. A thread that serves sockets between two pieces of its
 * other work serves them itself, also those that others open for it: what comes over them then wakes no second thread. It must
 * not wait for what they say while it does its other work.
 */
public final class SocketThread {
    /** The loop of whom the calling thread opens sockets for; it may have none after all. */
    private static final ThreadLocal<Supplier<EventLoop>> SERVES = new ThreadLocal<>();

    private SocketThread() {
    }

    /** The same work, whose sockets that loop serves. @param loop made when it is asked for; it gives null where there is none */
    public static Runnable servedBy(Supplier<EventLoop> loop, Runnable work) {
        return () -> {
            Supplier<EventLoop> before = SERVES.get();
            SERVES.set(loop);
            try {
                work.run();
            } finally {
                SERVES.set(before);
            }
        };
    }

    /** Runs work elsewhere, whose sockets are served as those of the thread that calls this. */
    public static Executor lentTo(Executor elsewhere) {
        Supplier<EventLoop> own = SERVES.get();
        return own == null ? elsewhere : work -> elsewhere.execute(servedBy(own, work));
    }

    /** What serves the sockets that the calling thread opens. @param others if it has no loop for them */
    static EventLoopGroup serving(EventLoopGroup others) {
        Supplier<EventLoop> own = SERVES.get();
        EventLoop loop = own == null ? null : own.get();
        return loop == null ? others : loop;
    }
}
