package io.despina.zeromq;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.RefusedException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Looks who is at the other end. A socket of ZeroMQ would be given messages, so it sends the beginning of ZMTP 3's greeting, and
 * reads the other one's.
 */
final class ZeroMqProbe {
    private static final int GREETING = 64;
    private static final int MARK_AT = 9;
    private static final int VERSION_AT = 10;
    private static final int MECHANISM_AT = 12;
    private static final int MECHANISM_BYTES = 20;
    /** Of a greeting: its mark and the version. Who gets more ends the connection if it wants other keys, and says nothing. */
    private static final byte[] BEGINNING = {(byte) 0xFF, 0, 0, 0, 0, 0, 0, 0, 0, 0x7F, 3};
    private static final String CURVE = "CURVE";

    private final ConnectorSettings settings;
    private final int millis;

    ZeroMqProbe(ConnectorSettings settings, long millis) {
        this.settings = settings;
        this.millis = Math.toIntExact(Math.max(1, Math.min(millis, Integer.MAX_VALUE)));
    }

    String run() throws IOException {
        if (Peer.binds(settings)) {
            return bind(URI.create(settings.text("endpoint")));
        }
        List<String> found = new ArrayList<>();
        for (String each : settings.text("endpoint").split(",")) {
            found.add("a peer with " + look(URI.create(each)) + " at " + each);
        }
        return String.join(", ", found);
    }

    /** By a socket of the system's: a peer would send its messages to one of ZeroMQ. */
    private static String bind(URI at) throws RefusedException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(at.getHost(), at.getPort()));
            return at + " can be bound";
        } catch (BindException e) {
            throw new RefusedException("`endpoint` " + at + " cannot be bound: another process may use the port", e);
        } catch (IOException e) {
            throw new RefusedException("`endpoint` " + at + " cannot be bound: " + e.getMessage(), e);
        }
    }

    /** @return the peer's mechanism */
    private String look(URI at) throws IOException {
        boolean secret = settings.has("secret_key");
        String theirs;
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(at.getHost(), at.getPort()), millis);
            socket.setSoTimeout(millis);
            socket.getOutputStream().write(BEGINNING);
            theirs = mechanism(socket.getInputStream());
        } catch (IOException e) {
            throw new IOException("`endpoint` " + at + " does not answer: " + e.getMessage(), e);
        }
        if (theirs == null) {
            throw new RefusedException("`endpoint` " + at + ": what answers there does not speak ZMTP 3 (ZeroMQ 4)", null);
        }
        if (theirs.equals(CURVE) != secret) {
            throw new RefusedException("`endpoint` " + at + ": the peer " + (secret
                    ? "takes no keys, and the graph has `server_key`" : "wants keys (CURVE), and the graph has no "
                    + "`server_key`"), null);
        }
        return secret ? "keys" : "no keys";
    }

    /** Null if it is no greeting. */
    private static String mechanism(InputStream from) throws IOException {
        byte[] read = new byte[GREETING];
        int got = from.readNBytes(read, 0, GREETING);
        boolean isGreeting = got > 0 && read[0] == (byte) 0xFF && (got <= MARK_AT || read[MARK_AT] == 0x7F);
        if (!isGreeting || got > VERSION_AT && read[VERSION_AT] < 3) {
            return null;
        }
        if (got < GREETING) {
            throw new EOFException("it ended the connection");
        }
        byte[] name = Arrays.copyOfRange(read, MECHANISM_AT, MECHANISM_AT + MECHANISM_BYTES);
        return new String(name, StandardCharsets.US_ASCII).replace("\0", "");
    }
}
