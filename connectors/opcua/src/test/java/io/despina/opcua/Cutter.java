package io.despina.opcua;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Stands between a client and a server, and cuts their connections. */
final class Cutter implements AutoCloseable {
    private final ServerSocket door = new ServerSocket(0, 16, InetAddress.getLoopbackAddress());
    private final int target;
    private final List<Socket> open = new CopyOnWriteArrayList<>();
    private volatile boolean cut;

    Cutter(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    int port() {
        return door.getLocalPort();
    }

    /** From now on nobody comes through, until {@link #mend}. */
    void cut() {
        cut = true;
        open.forEach(Cutter::end);
        open.clear();
    }

    void mend() {
        cut = false;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = door.accept();
                open.add(client);
                if (cut) {
                    end(client);
                    continue;
                }
                Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
                open.add(server);
                start(() -> carry(client, server));
                start(() -> carry(server, client));
            }
        } catch (IOException closed) {
            cut();
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        thread.start();
    }

    private static void carry(Socket from, Socket to) {
        try (InputStream in = from.getInputStream()) {
            in.transferTo(to.getOutputStream());
        } catch (IOException cut) {
            // that is what it is for
        }
        end(to);
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException gone) {
            // it is closed
        }
    }

    @Override
    public void close() throws IOException {
        door.close();
        cut();
    }
}
