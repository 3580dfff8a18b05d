package io.despina.operator.sink.socket;

import io.despina.expr.RecordFormatter;
import io.despina.operator.Retries;
import io.despina.operator.Sink;
import io.despina.operator.record.RecordFormat;
import io.despina.operator.sink.socket.SinkPeer.Script;
import io.despina.operator.sink.socket.SinkPeer.SinkConnection;
import io.despina.socket.SocketClient;
import io.despina.socket.TlsFiles;
import io.despina.socket.TokenPlace;
import io.despina.spec.FileFormat;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The sinks of {@link SocketSinksTest}: how each is made, and how its peer takes what it sends. */
enum SinkSubject {
    LINES {
        @Override
        Sink sink(int port, Sent sent, Retries.Waiting waiting) {
            return tcp(port, sent, false, waiting);
        }

        @Override
        void take(SinkConnection peer) throws IOException {
            begin(peer);
            while (true) {
                peer.take(peer.line());
            }
        }
    },
    LENGTH_PREFIXED {
        @Override
        Sink sink(int port, Sent sent, Retries.Waiting waiting) {
            return tcp(port, sent, true, waiting);
        }

        @Override
        void take(SinkConnection peer) throws IOException {
            begin(peer);
            while (true) {
                int length = ByteBuffer.wrap(peer.bytes(4)).getInt();
                peer.take(new String(peer.bytes(length), StandardCharsets.UTF_8));
            }
        }
    },
    HTTP {
        @Override
        Sink sink(int port, Sent sent, Retries.Waiting waiting) {
            Map<String, TokenPlace> secrets = sent.token == null ? Map.of() : Map.of("Authorization", sent.token);
            return new HttpSink(new HttpSinkOptions(new HttpSinkOptions.To(
                    sent.tls == null ? address(port) : "https://127.0.0.1:" + port, Map.of(), secrets, sent.tls),
                    sent.records(), text -> sent.formatter, false, new HttpSinkOptions.Batch(1000, BATCH_BYTES, 100),
                    new HttpSinkOptions.Times(sent.waitMillis == 0 ? LONG_MS : sent.waitMillis, sent.retryMillis)), waiting);
        }

        @Override
        void take(SinkConnection peer) throws IOException {
            begin(peer);
            String body = new String(peer.bytes(Integer.parseInt(value(peer.head(), "content-length"))), StandardCharsets.UTF_8);
            for (String row : body.split("\n")) {
                peer.take(row);
            }
            peer.send(peer.script == Script.DENIES
                    ? "HTTP/1.1 401 Unauthorized\r\nContent-Length: 20\r\n\r\ns3cret-words is wrong"
                    : "HTTP/1.1 204 No Content\r\n\r\n");
        }

        @Override
        String address(int port) {
            return "http://127.0.0.1:" + port;
        }

        @Override
        boolean asksForAnswers() {
            return true;
        }
    },
    WEB_SOCKET {
        private static final int TEXT = 0x81;
        private static final int BYTES = 0x82;
        private static final int CLOSE = 0x88;

        @Override
        Sink sink(int port, Sent sent, Retries.Waiting waiting) {
            return new WebSocketSink(new WebSocketSinkOptions(new WebSocketSinkOptions.To(
                    sent.tls == null ? address(port) : "wss://127.0.0.1:" + port, sent.token, sent.tls), sent.records(),
                    text -> sent.formatter, new WebSocketSinkOptions.Times(sent.waitMillis, sent.retryMillis)), waiting);
        }

        @Override
        void take(SinkConnection peer) throws IOException {
            if (peer.script == Script.RUBBISH) {
                begin(peer);
            }
            List<String> head = peer.head();
            if (peer.script == Script.DENIES) {
                peer.send("HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\n\r\n");
                throw new IOException("denied");
            }
            peer.send("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    + "Sec-WebSocket-Accept: " + accept(value(head, "sec-websocket-key")) + "\r\n\r\n");
            peer.await();
            while (true) {
                takeFrame(peer);
            }
        }

        private void takeFrame(SinkConnection peer) throws IOException {
            byte[] head = peer.bytes(2);
            int length = head[1] & 0x7F;
            length = length == 126 ? ByteBuffer.wrap(peer.bytes(2)).getShort() & 0xFFFF : length;
            byte[] mask = peer.bytes(4);
            byte[] text = peer.bytes(length);
            for (int k = 0; k < length; k++) {
                text[k] ^= mask[k % mask.length];
            }
            if ((head[0] & 0xFF) == TEXT) {
                peer.take(new String(text, StandardCharsets.UTF_8));
            } else if ((head[0] & 0xFF) == BYTES) {
                peer.take(HexFormat.of().formatHex(text));
            } else if ((head[0] & 0xFF) == CLOSE) {
                peer.send("\u0088\u0000");
                throw new IOException("closed");
            } else {
                throw new IllegalStateException("a frame of " + head[0]);
            }
        }

        private static String accept(String key) {
            try {
                return Base64.getEncoder().encodeToString(MessageDigest.getInstance("SHA-1")
                        .digest((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").getBytes(StandardCharsets.US_ASCII)));
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        String address(int port) {
            return "ws://127.0.0.1:" + port;
        }
    };

    /** How long a sink tries again. */
    static final long RETRY_MS = 300;
    private static final int BATCH_BYTES = 1 << 17;
    private static final long LONG_MS = 20_000;

    /**
     * What differs between tests.
     *
     * @param waitMillis for a peer that takes nothing; 0 for a long time
     * @param formatter  writes what is not plain
     */
    record Sent(TlsFiles tls, TokenPlace token, long waitMillis, long retryMillis, Map<String, String> options,
            RecordFormatter formatter) {
        static final Sent PLAIN = new Sent(null, null, 0, RETRY_MS, Map.of(), null);

        Sent secured(TlsFiles files) {
            return new Sent(files, token, waitMillis, retryMillis, options, formatter);
        }

        Sent with(TokenPlace place) {
            return new Sent(tls, place, waitMillis, retryMillis, options, formatter);
        }

        Sent waiting(long millis) {
            return new Sent(tls, token, millis, retryMillis, options, formatter);
        }

        Sent retrying(long millis) {
            return new Sent(tls, token, waitMillis, millis, options, formatter);
        }

        Sent written(Map<String, String> with, RecordFormatter by) {
            return new Sent(tls, token, waitMillis, retryMillis, with, by);
        }

        private RecordFormat.Write records() {
            return new RecordFormat.Write(FileFormat.CSV, options, "UTC", true);
        }
    }

    abstract Sink sink(int port, Sent sent, Retries.Waiting waiting);

    /** As {@link SinkPeer.Speech}. */
    abstract void take(SinkConnection peer) throws IOException;

    String address(int port) {
        return "127.0.0.1:" + port;
    }

    /** A row has arrived when the peer says so. */
    boolean asksForAnswers() {
        return false;
    }

    /** What the peer sends does not count. */
    boolean ignoresThePeer() {
        return this == LINES || this == LENGTH_PREFIXED;
    }

    /** @param name of a header, in lower case */
    static String value(List<String> head, String name) {
        String line = head.stream().filter(each -> each.toLowerCase(Locale.ROOT).startsWith(name + ": ")).findFirst()
                .orElseThrow();
        return line.substring(name.length() + 2);
    }

    private static Sink tcp(int port, Sent sent, boolean prefixed, Retries.Waiting waiting) {
        return new TcpSink(new TcpSinkOptions(new SocketClient.Address("127.0.0.1", port, sent.tls, sent.waitMillis),
                sent.records(), text -> sent.formatter, prefixed, sent.retryMillis), waiting);
    }

    /** What the script says of a connection's beginning. */
    private static void begin(SinkConnection peer) throws IOException {
        if (peer.script == Script.RUBBISH) {
            peer.send(SinkPeer.RUBBISH_TEXT);
        }
        peer.await();
    }
}
