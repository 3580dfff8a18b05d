package io.despina.snapshot;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.apache.commons.io.FileUtils;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.server.NIOServerCnxnFactory;
import org.apache.zookeeper.server.ZooKeeperServer;

/**
 * A server of ZooKeeper in this process, on the loopback interface, for as long as that lasts. It may go away, and come again
 * with what it has.
 */
final class ZooKeepers {
    private static final int TICK_MILLIS = 200;
    private static final int CONNECTIONS = 60;
    private static final int SESSION_MILLIS = 4_000;

    static {
        System.setProperty("zookeeper.forceSync", "no");
        System.setProperty("zookeeper.enforceQuota", "true");
    }

    private static ZooKeepers shared;

    private final Path folder;
    private int port;
    private ZooKeeperServer server;
    private NIOServerCnxnFactory door;

    private ZooKeepers(Path folder) {
        this.folder = folder;
    }

    static synchronized ZooKeepers shared() {
        try {
            if (shared == null) {
                shared = new ZooKeepers(Files.createTempDirectory("despina-zookeeper"));
                FileUtils.forceDeleteOnExit(shared.folder.toFile());
                shared.start();
            }
            return shared;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    void start() throws IOException {
        server = new ZooKeeperServer(folder.toFile(), folder.toFile(), TICK_MILLIS);
        door = new NIOServerCnxnFactory();
        door.configure(new InetSocketAddress("127.0.0.1", port), CONNECTIONS);
        try {
            door.startup(server);
        } catch (InterruptedException e) {
            throw (IOException) new InterruptedIOException().initCause(e);
        }
        port = door.getLocalPort();
    }

    void stop() {
        door.shutdown();
    }

    /** All sessions end, as of clients of which nothing was heard for long. */
    void expire() {
        List.copyOf(server.getZKDatabase().getSessions()).forEach(server::closeSession);
    }

    RegistryAddress address(String path) {
        return RegistryAddress.of("zookeeper://" + servers() + path);
    }

    private String servers() {
        return "127.0.0.1:" + port;
    }

    /** Asks it something as itself. */
    interface OwnClient {
        void uses(ZooKeeper client) throws Exception;
    }

    void ask(OwnClient what) throws Exception {
        CountDownLatch connected = new CountDownLatch(1);
        ZooKeeper client = new ZooKeeper(servers(), SESSION_MILLIS, event -> connected.countDown());
        try {
            connected.await();
            what.uses(client);
        } finally {
            client.close();
        }
    }
}
