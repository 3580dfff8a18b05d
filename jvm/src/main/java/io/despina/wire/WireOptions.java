package io.despina.wire;

import io.despina.buffer.SegmentPool;
import io.despina.wire.handshake.Tls;
import java.util.function.LongSupplier;

/**
 * The options of a resource's {@link Wire}.
 *
 * @param host        to listen on; 127.0.0.1 by default
 * @param port        to listen on; 0 for any free one
 * @param ioThreads   threads that move bytes
 * @param secret      that both sides of a connection must know, unless one was admitted under a name of its own
 * @param tls         null for plain TCP
 * @param pool        where arriving packets go
 * @param clock       nanoseconds
 * @param socketBytes receive buffer of each socket, and as much to send; set, not autotuned
 */
public record WireOptions(String host, int port, int ioThreads, byte[] secret, Tls tls, SegmentPool pool, LongSupplier clock,
                          int socketBytes) {
    private static final int LEAST_SOCKET = 64 << 10;
    /**
     * Within one machine or data centre larger buffers only hold more data between a channel's ends, which then comes in bursts
     * (docs/design/004).
     */
    private static final int MOST_SOCKET = 384 << 10;
    /** Receive buffers take at most this part of the budget, and send buffers as much. */
    private static final int SOCKET_SHARE = 10;

    public WireOptions {
        if (secret.length < 16) {
            throw new IllegalArgumentException("a secret has at least 16 bytes");
        }
        if (ioThreads < 1) {
            throw new IllegalArgumentException("io_threads=" + ioThreads + ": at least one is needed");
        }
        secret = secret.clone();
    }

    /** Any free port of 127.0.0.1, no TLS, socket buffers by the pool's budget for {@code channels} remote channels. */
    public static WireOptions local(byte[] secret, SegmentPool pool, int ioThreads, int channels) {
        return new WireOptions("127.0.0.1", 0, ioThreads, secret, null, pool, System::nanoTime,
                socketBytes(pool.budget().bytes(), channels));
    }

    /** The same, listening there, inside TLS unless that is null. */
    public WireOptions at(String listen, int listenPort, Tls inside) {
        return new WireOptions(listen, listenPort, ioThreads, secret, inside, pool, clock, socketBytes);
    }

    /** The size of socket buffers for {@code channels} connections in a budget. */
    public static int socketBytes(long budgetBytes, int channels) {
        long share = budgetBytes / SOCKET_SHARE / Math.max(1, channels);
        return (int) Math.max(LEAST_SOCKET, Math.min(MOST_SOCKET, share));
    }
}
