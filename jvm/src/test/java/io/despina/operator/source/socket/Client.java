package io.despina.operator.source.socket;

import io.despina.operator.OperatorHarness;
import io.despina.operator.Source;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/** A program that talks to a source under test, and how the test waits for what IO threads do. */
public final class Client implements Closeable {
    private static final long MOST_NANOS = 20_000_000_000L;
    private static final int READ_MS = 10_000;

    public final Socket socket;

    public Client(int port) throws IOException {
        this(new Socket(InetAddress.getLoopbackAddress(), port));
    }

    public Client(Socket socket) throws IOException {
        this.socket = socket;
        socket.setSoTimeout(READ_MS);
        socket.setTcpNoDelay(true);
    }

    public Client send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    public Client send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
        socket.getOutputStream().flush();
        return this;
    }

    /** The name by which the source knows it. */
    public String name() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    /** Cuts the connection, without an orderly end. */
    public void cut() throws IOException {
        socket.setSoLinger(true, 0);
        socket.close();
    }

    /** Waits until the other side has closed the connection. */
    public boolean isSentAway() {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException still) {
            return false;
        } catch (IOException cut) {
            return true;
        }
    }

    /** Runs the source, as its task does when it is woken, until something has happened. */
    public static void produceUntil(OperatorHarness source, BooleanSupplier happened) throws Exception {
        long end = System.nanoTime() + MOST_NANOS;
        takeAll(source);
        while (!happened.getAsBoolean()) {
            pause(end, source);
            takeAll(source);
        }
    }

    /** Runs the source until it has ended. */
    public static void produceToEnd(OperatorHarness source) throws Exception {
        long end = System.nanoTime() + MOST_NANOS;
        while (source.produce() != Source.ENDED) {
            pause(end, source);
        }
    }

    /** Waits until something has happened, without running the source. */
    public static void await(OperatorHarness source, BooleanSupplier happened) throws InterruptedException {
        long end = System.nanoTime() + MOST_NANOS;
        while (!happened.getAsBoolean()) {
            pause(end, source);
        }
    }

    private static void pause(long end, OperatorHarness source) throws InterruptedException {
        if (System.nanoTime() > end) {
            throw new AssertionError("it has not happened; rows: " + source.rows(0).size() + ", bad: " + source.badRecords);
        }
        Thread.sleep(1);
    }

    private static void takeAll(OperatorHarness source) throws Exception {
        long next;
        do {
            next = source.produce();
        } while (next <= source.now);
    }

    public static void produceRows(OperatorHarness source, int rows) throws Exception {
        produceUntil(source, () -> source.rows(0).size() >= rows);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
