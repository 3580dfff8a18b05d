package io.despina.zeromq;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.RefusedException;
import java.io.Closeable;
import java.io.IOException;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/** A socket of ZeroMQ, in a context of its own, that is bound or connected as the graph says. Of one thread. */
final class Peer implements Closeable {
    private static final int HEARTBEAT_MS = 5_000;
    /** Of some 30 connections to libzmq from 4.3.3 on, one stays within its handshake (zeromq/libzmq#4076): it is made again. */
    private static final int HANDSHAKE_MS = 2_000;
    private static final int FIRST_WAIT_MS = 100;
    private static final int MOST_WAIT_MS = 2_000;

    private final ZContext context;
    private final Admission admission;
    private final ZMQ.Socket socket;
    private final Connections connections;

    private Peer(ZContext context, Admission admission, ZMQ.Socket socket, Connections connections) {
        this.context = context;
        this.admission = admission;
        this.socket = socket;
        this.connections = connections;
    }

    /**
     * Opens it: it connects, and goes on doing so, in the background.
     *
     * @throws IOException if it cannot be bound, or a key cannot be read
     */
    static Peer open(ConnectorSettings settings) throws IOException {
        ZContext context = new ZContext(1);
        // one of JeroMQ's threads may end with an error when a socket is closed; by itself it would print that
        context.setUncaughtExceptionHandler((thread, why) -> System.getLogger(Peer.class.getName())
                .log(System.Logger.Level.DEBUG, "a thread of JeroMQ's has ended", why));
        Admission admission = null;
        try {
            if (settings.has("client_keys")) {
                admission = new Admission(context, settings.texts("client_keys"));
            }
            ZMQ.Socket socket = context.createSocket(type(settings));
            limit(socket, settings);
            secure(socket, settings);
            Connections connections = new Connections(socket);
            attach(socket, settings);
            return new Peer(context, admission, socket, connections);
        } catch (IOException | RuntimeException e) {
            end(context, admission);
            throw e;
        }
    }

    private static SocketType type(ConnectorSettings settings) {
        return switch (settings.text("socket")) {
            case "pull" -> SocketType.PULL;
            case "sub" -> SocketType.SUB;
            case "push" -> SocketType.PUSH;
            case "pub" -> SocketType.PUB;
            default -> throw new IllegalArgumentException(settings.text("socket"));
        };
    }

    static boolean binds(ConnectorSettings settings) {
        return settings.flag("bind");
    }

    private static void limit(ZMQ.Socket socket, ConnectorSettings settings) {
        int most = Math.toIntExact(settings.whole("high_water_mark"));
        socket.setRcvHWM(most);
        socket.setSndHWM(most);
        // a message that is larger cannot wait for the graph; without a limit a peer's number decides how much is allocated
        socket.setMaxMsgSize(settings.whole("buffer_bytes"));
        socket.setIPv6(true);
        socket.setReconnectIVL(FIRST_WAIT_MS);
        socket.setReconnectIVLMax(MOST_WAIT_MS);
        socket.setHandshakeIvl(HANDSHAKE_MS);
        socket.setHeartbeatIvl(HEARTBEAT_MS);
        socket.setHeartbeatTimeout(2 * HEARTBEAT_MS);
        if (socket.getSocketType() == SocketType.SUB) {
            if (settings.texts("topics").isEmpty()) {
                socket.subscribe(ZMQ.SUBSCRIPTION_ALL);
            }
            settings.texts("topics").forEach(socket::subscribe);
        }
    }

    private static void secure(ZMQ.Socket socket, ConnectorSettings settings) throws IOException {
        if (!settings.has("secret_key")) {
            return;
        }
        String secret = settings.secret("secret_key").read().strip();
        if (!Keys.isKey(secret)) {
            throw new RefusedException("`secret_key_env` (or `secret_key_file`) holds no key: one has 40 characters of "
                    + "Z85", null);
        }
        if (binds(settings)) {
            socket.setCurveServer(true);
        } else {
            socket.setCurveServerKey(Keys.bytes(settings.text("server_key")));
            socket.setCurvePublicKey(Keys.publicOf(secret));
        }
        socket.setCurveSecretKey(Keys.bytes(secret));
    }

    private static void attach(ZMQ.Socket socket, ConnectorSettings settings) throws RefusedException {
        for (String each : settings.text("endpoint").split(",")) {
            try {
                if (binds(settings)) {
                    socket.bind(each);
                } else {
                    socket.connect(each);
                }
            } catch (ZMQException | IllegalArgumentException e) {
                throw new RefusedException("`endpoint` " + each + " cannot be " + (binds(settings) ? "bound" : "connected to")
                        + ": " + why(e), e);
            }
        }
    }

    private static String why(RuntimeException e) {
        if (!(e instanceof ZMQException told)) {
            return e.getMessage();
        }
        return switch (ZMQ.Error.findByCode(told.getErrorCode())) {
            case EADDRINUSE -> "another process may use the port";
            case EADDRNOTAVAIL -> "this machine has no such address";
            default -> told.getMessage();
        };
    }

    /** What to say of one that ends each connection as soon as it is made. */
    static String refused(ConnectorSettings settings) {
        return settings.text("endpoint") + " ends each connection at once: look at the kinds of both sockets"
                + (settings.has("secret_key") ? ", at `server_key` and at `secret_key_env` (or `secret_key_file`)"
                : ", and whether the peer wants keys (`server_key`)");
    }

    /** @return what to throw where a call was interrupted; what ended it for another reason is thrown here */
    static InterruptedException interrupted(ZMQException of) {
        if (of.getErrorCode() == ZMQ.Error.EINTR.getCode()) {
            return new InterruptedException(of.getMessage());
        }
        throw of;
    }

    ZMQ.Socket socket() {
        return socket;
    }

    Connections connections() {
        return connections;
    }

    /**
     * Ends it, and waits for the end. An interrupt ends the wait alone: JeroMQ would leave its threads behind for one.
     *
     * @param millis how long messages that peers have not taken yet may wait for them
     */
    void close(int millis) {
        boolean interrupted = Thread.interrupted();
        try {
            socket.setLinger(millis);
            connections.close();
            socket.close();
            Thread ending = new Thread(() -> end(context, admission), "despina-zeromq-end");
            ending.setDaemon(true);
            ending.start();
            ending.join();
        } catch (InterruptedException another) {
            interrupted = true;
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void close() {
        close(0);
    }

    /** Waits until sockets have ended, but for what may be left behind them. */
    private static void end(ZContext context, Admission admission) {
        if (admission != null) {
            admission.close();
        }
        context.close();
    }
}
