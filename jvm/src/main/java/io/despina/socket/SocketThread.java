package io.despina.socket;

import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.util.concurrent.FastThreadLocal;
import java.util.concurrent.Executor;

/**
 * A thread that serves sockets between two pieces of its other work. What comes over a socket that is opened on it, and what it
 * sends there, wakes no second thread.
 */
public final class SocketThread {
    private static final FastThreadLocal<EventLoop> SERVES = new FastThreadLocal<>();

    private SocketThread() {
    }

    /** The calling thread serves that loop from now on. */
    public static void begin(EventLoop loop) {
        SERVES.set(loop);
    }

    /** Work for another thread. The sockets that it opens are served by that loop. */
    public static Runnable lent(EventLoop loop, Runnable work) {
        return () -> {
            EventLoop before = SERVES.get();
            SERVES.set(loop);
            try {
                work.run();
            } finally {
                SERVES.set(before);
            }
        };
    }

    /** Runs work elsewhere. The sockets that it opens are served as those of the thread that calls this. */
    public static Executor lentTo(Executor elsewhere) {
        EventLoop own = SERVES.get();
        return own == null ? elsewhere : work -> elsewhere.execute(lent(own, work));
    }

    /** What serves the sockets that the calling thread opens: its own loop if it has one. */
    static EventLoopGroup serving(EventLoopGroup others) {
        EventLoop own = SERVES.get();
        return own == null ? others : own;
    }
}
