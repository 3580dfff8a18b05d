package io.despina.operator.source.socket;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.IntFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Accepts WebSockets one after the other, reads a text of each, answers with texts, and breaks the connection. */
final class PushingServer implements AutoCloseable {
    private static final Pattern KEY = Pattern.compile("(?i)Sec-WebSocket-Key: (\\S+)");
    private static final int TEXT = 0x81;

    /** The heads of requests, and the texts that came behind them. */
    final Queue<String> heads = new ConcurrentLinkedQueue<>();
    final Queue<String> texts = new ConcurrentLinkedQueue<>();
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final IntFunction<String[]> messages;

    /** @param messages of the connection of that number; null to refuse it */
    PushingServer(IntFunction<String[]> messages) throws IOException {
        this.messages = messages;
        Thread thread = new Thread(this::serve, "pushing-server");
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "ws://127.0.0.1:" + listening.getLocalPort() + "/live";
    }

    private void serve() {
        for (int k = 0; !listening.isClosed(); k++) {
            try (Socket one = listening.accept()) {
                serve(one, messages.apply(k));
            } catch (IOException gone) {
                continue;
            } catch (GeneralSecurityException impossible) {
                throw new IllegalStateException(impossible);
            }
        }
    }

    private void serve(Socket one, String[] sent) throws IOException, GeneralSecurityException {
        DataInputStream in = new DataInputStream(one.getInputStream());
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) in.readUnsignedByte());
        }
        heads.add(head.toString());
        OutputStream out = one.getOutputStream();
        if (sent == null) {
            out.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n".getBytes(StandardCharsets.UTF_8));
            return;
        }
        Matcher key = KEY.matcher(head);
        if (!key.find()) {
            throw new IOException("no key");
        }
        byte[] accept = MessageDigest.getInstance("SHA-1").digest((key.group(1) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
                .getBytes(StandardCharsets.UTF_8));
        out.write(("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: "
                + Base64.getEncoder().encodeToString(accept) + "\r\n\r\n").getBytes(StandardCharsets.UTF_8));
        texts.add(text(in));
        for (String each : sent) {
            byte[] bytes = each.getBytes(StandardCharsets.UTF_8);
            out.write(TEXT);
            out.write(bytes.length);
            out.write(bytes);
        }
    }

    private static String text(DataInputStream in) throws IOException {
        in.readUnsignedByte();
        int length = in.readUnsignedByte() & 0x7F;
        byte[] mask = in.readNBytes(4);
        byte[] bytes = in.readNBytes(length);
        for (int k = 0; k < bytes.length; k++) {
            bytes[k] ^= mask[k % 4];
        }
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
