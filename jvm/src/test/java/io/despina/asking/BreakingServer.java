package io.despina.asking;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.BiFunction;

/** Writes an answer's bytes and then closes the connection, wherever in the answer that is. */
final class BreakingServer implements AutoCloseable {
    final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    /** From the number of the connection and its request to what is written. */
    private final BiFunction<Integer, String, byte[]> answers;

    BreakingServer(BiFunction<Integer, String, byte[]> answers) throws IOException {
        this.answers = answers;
        Thread thread = new Thread(this::serve, "breaking-server");
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "http://127.0.0.1:" + listening.getLocalPort() + "/a";
    }

    private void serve() {
        for (int k = 0; !listening.isClosed(); k++) {
            try (Socket one = listening.accept()) {
                String request = head(one.getInputStream());
                if (request.isEmpty()) {
                    continue;       // gone before it asked
                }
                requests.add(request);
                one.getOutputStream().write(answers.apply(k, request));
                one.shutdownOutput();
            } catch (IOException gone) {
                continue;       // whoever asks may go at any time
            }
        }
    }

    private static String head(InputStream in) throws IOException {
        StringBuilder head = new StringBuilder();
        int next;
        while (head.indexOf("\r\n\r\n") < 0 && (next = in.read()) >= 0) {
            head.append((char) next);
        }
        return head.toString();
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() throws IOException {
        listening.close();
    }
}
