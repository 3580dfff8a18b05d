package io.despina.operator.sink.socket;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/** A program that a sink under test sends to. What it does with each connection the test says before. */
final class SinkPeer implements Closeable {
    private static final long MOST_MS = 20_000;
    /** Little, so that the system does not take much for a peer that does not read. */
    private static final int RECEIVE_BYTES = 1 << 17;

    /** What happens on a connection. */
    enum Script {
        /** Takes all that comes. */
        READS,
        /** Lets the sink in, and does not read before {@link SinkPeer#goOn}. */
        STALLS,
        /** Cuts the connection after a few rows. */
        CUTS,
        /** Answers with rubbish at once. */
        RUBBISH,
        /** Answers with rubbish after a few rows. */
        RUBBISH_LATER,
        /** Says that the token is wrong. */
        DENIES
    }

    /** How it takes rows. */
    interface Speech {
        /** Takes rows until the connection is over, which is an error, or until it wants to be called again. */
        void take(SinkConnection connection) throws IOException;
    }

    /** One that a sink has made. */
    final class SinkConnection {
        final Script script;
        private final Socket socket;
        private final InputStream in;
        private final List<String> rows = new ArrayList<>();
        private boolean over;

        private SinkConnection(Socket socket, Script script) throws IOException {
            this.socket = socket;
            this.script = script;
            in = new BufferedInputStream(socket.getInputStream());
        }

        /** The next line; the end of the connection is an error. */
        String line() throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new IOException("the sink has ended it");
                }
                line.append((char) next);
            }
            return line.toString().strip();
        }

        byte[] bytes(int count) throws IOException {
            byte[] bytes = in.readNBytes(count);
            if (bytes.length < count) {
                throw new IOException("the sink has ended it");
            }
            return bytes;
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            socket.getOutputStream().flush();
        }

        /** The lines of a head, to the blank one. */
        List<String> head() throws IOException {
            List<String> head = new ArrayList<>();
            for (String line = line(); !line.isEmpty(); line = line()) {
                head.add(line);
            }
            heads.add(head);
            return head;
        }

        /** Waits for leave to read, if its script says so. */
        void await() throws IOException {
            if (script == Script.STALLS) {
                try {
                    going.await();
                } catch (InterruptedException e) {
                    throw new IOException(e);
                }
            }
        }

        private void cut() {
            try {
                socket.setSoLinger(true, 0);
                socket.close();
            } catch (IOException end) {
                over = true;        // it was closed before
            }
        }

        void take(String row) throws IOException {
            synchronized (SinkPeer.this) {
                rows.add(row);
                SinkPeer.this.notifyAll();
            }
            if (rows.size() == SOME && script == Script.CUTS) {
                cut();
                throw new IOException("cut");
            } else if (rows.size() == SOME && script == Script.RUBBISH_LATER) {
                send(RUBBISH_TEXT);
            }
        }
    }

    /** So many rows are a few. */
    static final int SOME = 3;
    /** No HTTP, no WebSocket, no TLS. */
    static final String RUBBISH_TEXT = "\u00ff\u00fe\u0000\u0001 rubbish \r\n\r\n\u00c3\u0028\r\n".repeat(10);

    final Queue<Script> scripts = new ConcurrentLinkedQueue<>();
    final Queue<List<String>> heads = new ConcurrentLinkedQueue<>();
    private final CountDownLatch going = new CountDownLatch(1);
    private final List<SinkConnection> connections = new CopyOnWriteArrayList<>();
    private final Speech speech;
    private final ServerSocket listening;
    private final Thread accepting;
    private volatile boolean gone;

    /** @param tls null without TLS; with it, clients must show a certificate */
    SinkPeer(Speech speech, SSLContext tls) throws IOException {
        this.speech = speech;
        listening = tls == null ? new ServerSocket() : tls.getServerSocketFactory().createServerSocket();
        if (listening instanceof SSLServerSocket secure) {
            secure.setNeedClientAuth(true);
        }
        listening.setReceiveBufferSize(RECEIVE_BYTES);
        listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        accepting = beside(this::accept);
    }

    private static Thread beside(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    private void accept() {
        try {
            while (true) {
                Socket socket = listening.accept();
                Script script = scripts.poll();
                SinkConnection connection = new SinkConnection(socket, script == null ? Script.READS : script);
                synchronized (this) {
                    connections.add(connection);
                    notifyAll();
                }
                beside(() -> serve(connection));
            }
        } catch (IOException closed) {
            gone = true;
        }
    }

    private void serve(SinkConnection connection) {
        try (connection.socket) {
            while (!gone) {
                speech.take(connection);
            }
        } catch (IOException end) {
            synchronized (this) {
                connection.over = true;
                notifyAll();
            }
        }
    }

    /** Whether no connection is left of those that there have been. */
    synchronized boolean isOver() {
        return !connections.isEmpty() && connections.stream().allMatch(each -> each.over);
    }

    int port() {
        return listening.getLocalPort();
    }

    /** The rows of each connection. */
    synchronized List<List<String>> rows() {
        return connections.stream().map(each -> List.copyOf(each.rows)).toList();
    }

    /** The rows of the last connection. */
    synchronized List<String> lastRows() {
        return connections.isEmpty() ? List.of() : List.copyOf(connections.get(connections.size() - 1).rows);
    }

    /** How many bytes wait to be read from the first connection. */
    int unread() throws IOException {
        return connections.isEmpty() ? 0 : connections.get(0).socket.getInputStream().available();
    }

    /** Reads on where the script was to stall. */
    void goOn() {
        going.countDown();
    }

    synchronized void await(BooleanSupplier happened) throws InterruptedException {
        long end = System.currentTimeMillis() + MOST_MS;
        while (!happened.getAsBoolean()) {
            long left = end - System.currentTimeMillis();
            if (left <= 0) {
                throw new AssertionError("it has not happened; rows: " + rows().stream().map(List::size).toList());
            }
            wait(left);
        }
    }

    /** Nobody listens any more, and connections are cut. */
    @Override
    public void close() throws IOException {
        listening.close();
        try {
            accepting.join();       // until then the system lets sinks in
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
        connections.forEach(SinkConnection::cut);
        goOn();
    }
}
