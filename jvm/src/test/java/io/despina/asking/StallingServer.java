package io.despina.asking;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Begins an answer on each connection, and then says nothing more. */
final class StallingServer implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final List<Socket> open = new ArrayList<>();

    StallingServer(String beginning) throws IOException {
        Thread thread = new Thread(() -> serve(beginning), "stalling-server");
        thread.setDaemon(true);
        thread.start();
    }

    String url() {
        return "http://127.0.0.1:" + listening.getLocalPort() + "/a";
    }

    private void serve(String beginning) {
        try {
            while (true) {
                Socket one = listening.accept();
                synchronized (open) {
                    open.add(one);
                }
                one.getOutputStream().write(("HTTP/1.1 200 OK\r\n\r\n" + beginning).getBytes(StandardCharsets.UTF_8));
            }
        } catch (SocketException closed) {
            return;
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        synchronized (open) {
            for (Socket each : open) {
                each.close();
            }
        }
    }
}
