package io.despina.redis;

import io.despina.connect.ConnectorSettings;
import io.despina.connect.LostException;
import io.despina.connect.TlsContext;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import redis.clients.jedis.ClientSetInfoConfig;
import redis.clients.jedis.Connection;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** A connection to a server. It is not mended when it breaks. Of one thread, but for {@link #cut}. */
final class Link implements Closeable {
    private static final int PORT = 6379;

    private final ConnectorSettings settings;
    private final String name;
    /** Null before it is connected. */
    private Connection connection;
    /** Written by the thread that connects, read by the one that cuts. */
    private volatile Socket socket;
    private volatile boolean cut;

    /** @param name by which the server lists it */
    Link(ConnectorSettings settings, String name) {
        this.settings = settings;
        this.name = name;
    }

    /** One that is connected, see {@link #connect}. */
    static Link open(ConnectorSettings settings, String name, long millis) throws IOException {
        Link link = new Link(settings, name);
        link.connect(millis);
        return link;
    }

    /**
     * Connects, once. Blocks.
     *
     * @param millis how long that may take, and each question later
     * @throws IOException if the server cannot be reached, or refuses; the message names the field
     */
    void connect(long millis) throws IOException {
        URI server = URI.create(settings.text("server"));
        DefaultJedisClientConfig.Builder config = DefaultJedisClientConfig.builder().resp2().timeoutMillis((int) millis)
                .clientSetInfoConfig(ClientSetInfoConfig.DISABLED).clientName(name);
        String path = server.getPath();
        if (path != null && path.length() > 1) {
            config.database(Integer.parseInt(path.substring(1)));
        }
        SSLContext tls = !server.getScheme().equals("rediss") ? null : TlsContext.of(settings.has("tls") ? settings.tls("tls")
                : new ConnectorSettings.Tls(null, null, null));
        if (settings.has("user")) {
            config.user(settings.secret("user").read());
        }
        if (settings.has("password")) {
            config.password(settings.secret("password").read());
        }
        try {
            connection = new Connection(() -> connected(server, tls, (int) millis), config.build());
            connection.connect();
        } catch (JedisException e) {
            close();
            throw Words.unconnected(settings, e, millis);
        }
    }

    private Socket connected(URI server, SSLContext tls, int millis) {
        Socket made = new Socket();
        socket = made;
        int port = server.getPort() < 0 ? PORT : server.getPort();
        try {
            if (cut) {
                throw new SocketException("the job has ended");
            }
            made.setTcpNoDelay(true);
            made.setKeepAlive(true);
            made.connect(new InetSocketAddress(server.getHost(), port), millis);
            made.setSoTimeout(millis);
            if (tls == null) {
                return made;
            }
            SSLSocket secure = (SSLSocket) tls.getSocketFactory().createSocket(made, server.getHost(), port, true);
            secure.startHandshake();
            return secure;
        } catch (IOException e) {
            closeSocket();
            throw new JedisConnectionException(e);
        }
    }

    /** From any thread: nothing is needed of it any more, whatever it waits for. */
    void cut() {
        cut = true;
        closeSocket();
    }

    private void closeSocket() {
        Socket made = socket;
        if (made != null) {
            try {
                made.close();
            } catch (IOException e) {
                return;         // it was closed by the other side
            }
        }
    }

    /** Puts a command behind those that were not read yet. */
    void send(ProtocolCommand command, byte[]... arguments) throws LostException {
        try {
            connection.sendCommand(command, arguments);
        } catch (JedisException e) {
            throw lost(e);
        }
    }

    private LostException lost(Exception why) {
        return new LostException("the connection to " + settings.text("server") + " has ended: " + why.getMessage(), why);
    }

    /** The next answers, in the order of the commands; that of a command that failed is a {@link JedisDataException}. Blocks. */
    List<Object> read(int count) throws LostException {
        try {
            return connection.getMany(count);
        } catch (JedisException e) {
            throw lost(e);
        }
    }

    /** Sends a command, and reads its answer. @throws IOException if the server refuses it */
    Object ask(ProtocolCommand command, String... arguments) throws IOException {
        byte[][] bytes = new byte[arguments.length][];
        for (int k = 0; k < bytes.length; k++) {
            bytes[k] = arguments[k].getBytes(StandardCharsets.UTF_8);
        }
        send(command, bytes);
        Object answer = read(1).get(0);
        if (answer instanceof JedisDataException why) {
            throw Words.refused(settings, why);
        }
        return answer;
    }

    @Override
    public void close() {
        if (connection == null) {
            return;
        }
        try {
            connection.close();
        } catch (JedisConnectionException broken) {
            return;         // it was closed by the other side
        }
    }
}
