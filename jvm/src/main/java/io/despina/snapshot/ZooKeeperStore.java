package io.despina.snapshot;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.api.ACLProvider;
import org.apache.curator.retry.RetryNTimes;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Stat;

/**
 * Small files as nodes of ZooKeeper, a registry's. Nodes stay when the session of who made them ends: what counts is their
 * numbers. So a lease is a node too, which is renewed, and does not wait for the end of a session, which its servers may set at
 * seconds. A server may be behind another: before folders are listed and leases are looked at, it catches up.
 */
final class ZooKeeperStore implements SnapshotStore {
    static final String PASSWORD = "DESPINA_REGISTRY_PASSWORD";
    /** So that it is seen within a second or so that who has renewed it is gone. */
    private static final long LEASE_MILLIS = 1_000;
    private static final int SESSION_MILLIS = 4_000;
    private static final int CONNECT_MILLIS = 2_000;
    private static final int MORE_TRIES = 1;
    private static final int PAUSE_MILLIS = 200;

    private static final KeptClients<Login, CuratorFramework> CLIENTS = new KeptClients<>(Login::client);

    private final Login login;
    private final String root;

    /** @param password null for nobody's */
    private record Login(RegistryAddress at, String password) {

        private CuratorFramework client() {
            CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder().connectString(at.servers())
                    .sessionTimeoutMs(SESSION_MILLIS).connectionTimeoutMs(CONNECT_MILLIS).ensembleTracker(false)
                    .retryPolicy(new RetryNTimes(MORE_TRIES, PAUSE_MILLIS)).zkClientConfig(withoutSasl());
            if (!at.user().isEmpty()) {
                builder.authorization("digest", (at.user() + ":" + password).getBytes(StandardCharsets.UTF_8))
                        .aclProvider(new OwnNodes());
            }
            CuratorFramework client = builder.build();
            client.start();
            return client;
        }

        /** It would ask for the name of each server's address, which takes seconds where nobody knows it. */
        private static ZKClientConfig withoutSasl() {
            ZKClientConfig config = new ZKClientConfig();
            config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
            return config;
        }
    }

    /** Nobody else reads or writes them. */
    private static final class OwnNodes implements ACLProvider {
        @Override
        public List<ACL> getDefaultAcl() {
            return ZooDefs.Ids.CREATOR_ALL_ACL;
        }

        @Override
        public List<ACL> getAclForPath(String path) {
            return ZooDefs.Ids.CREATOR_ALL_ACL;
        }
    }

    /** Asks for something at a node. */
    @FunctionalInterface
    private interface NodeCall<T> {
        T on(CuratorFramework client, String node) throws Exception;
    }

    /**
     * Asks nobody yet.
     *
     * @param folder   in which the store is
     * @param password of the user that the address names; null if none is known
     */
    ZooKeeperStore(RegistryAddress at, String folder, String password) {
        login = new Login(at, at.user().isEmpty() ? null : password);
        root = at.path() + "/" + folder;
    }

    private String node(String path) throws IOException {
        String plain = path.replaceAll("/+$", "");
        if (Stream.of(plain.split("/", -1)).anyMatch(name -> name.equals("..") || name.equals(".")) || plain.startsWith("/")) {
            throw new IOException(path + " leads out of " + this);
        }
        return plain.isEmpty() ? root : root + "/" + plain;
    }

    /** @throws FileNotFoundException if the node is needed and not there */
    private <T> T ask(String path, NodeCall<T> what) throws IOException {
        String node = node(path);
        if (!login.at.user().isEmpty() && login.password == null) {
            throw new IOException(this + " needs a password: " + PASSWORD + " in the environment");
        }
        try {
            return CLIENTS.use(login, client -> what.on(client, node));
        } catch (KeeperException.NoNodeException none) {
            throw (IOException) new FileNotFoundException(node + " is not there").initCause(none);
        } catch (KeeperException problem) {
            throw new IOException(this + words(problem.code()), problem);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException(this + " was not waited for").initCause(e);
        } catch (IOException | RuntimeException as) {
            throw as;
        } catch (Exception other) {
            throw new IOException(this + ": " + other.getMessage(), other);
        }
    }

    private String words(KeeperException.Code code) {
        return switch (code) {
            case CONNECTIONLOSS, SESSIONEXPIRED, OPERATIONTIMEOUT, REQUESTTIMEOUT -> " does not answer";
            case NOAUTH, AUTHFAILED, INVALIDACL -> " does not let " + (login.at.user().isEmpty() ? "who has no login"
                    : "user `" + login.at.user() + "`") + " read and write there";
            case QUOTAEXCEEDED -> " is full: more than ZooKeeper's quota for it";
            default -> ": " + code;
        };
    }

    /** What others were told that they have done is seen from now on. */
    private static void catchUp(CuratorFramework client, String node) throws Exception {
        if (!client.blockUntilConnected(CONNECT_MILLIS, TimeUnit.MILLISECONDS)) {   // which takes longer than to answer
            throw new KeeperException.OperationTimeoutException();
        }
        CompletableFuture<KeeperException.Code> done = new CompletableFuture<>();
        client.sync().inBackground((any, event) -> done.complete(KeeperException.Code.get(event.getResultCode()))).forPath(node);
        KeeperException.Code code;
        try {
            code = done.get(CONNECT_MILLIS, TimeUnit.MILLISECONDS);
        } catch (TimeoutException | ExecutionException none) {
            code = KeeperException.Code.OPERATIONTIMEOUT;
        }
        if (code != KeeperException.Code.OK) {
            throw KeeperException.create(code, node);
        }
    }

    @Override
    public NewFile create(String path) throws IOException {
        if (!createIfAbsent(path, new byte[0])) {
            throw new IOException(path + " is there already");
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        return new NewFile(bytes) {
            @Override
            void keep() throws IOException {
                replace(path, bytes.toByteArray());
            }

            @Override
            void drop() throws IOException {
                delete(path);
            }
        };
    }

    @Override
    public boolean createIfAbsent(String path, byte[] content) throws IOException {
        return ask(path, (client, node) -> {
            try {
                client.create().creatingParentsIfNeeded().forPath(node, content);
                return true;
            } catch (KeeperException.NodeExistsException another) {
                return false;
            }
        });
    }

    @Override
    public void replace(String path, byte[] content) throws IOException {
        ask(path, (client, node) -> client.create().orSetData().creatingParentsIfNeeded().forPath(node, content));
    }

    @Override
    public boolean replace(String path, long modifiedMillis, byte[] content) throws IOException {
        return ask(path, (client, node) -> {
            Stat found = client.checkExists().forPath(node);
            if ((found == null ? NOT_THERE : found.getMtime()) != modifiedMillis) {
                return false;
            }
            try {
                if (found == null) {
                    client.create().creatingParentsIfNeeded().forPath(node, content);
                } else {
                    client.setData().withVersion(found.getVersion()).forPath(node, content);
                }
                return true;
            } catch (KeeperException.BadVersionException | KeeperException.NodeExistsException
                    | KeeperException.NoNodeException another) {
                return false;
            }
        });
    }

    /** One would end with the session, and that with the patience of the servers. */
    @Override
    public Closeable lock(String path, byte[] content) {
        throw new UnsupportedOperationException("ZooKeeper has leases");
    }

    @Override
    public long leaseMillis() {
        return LEASE_MILLIS;
    }

    private Stat stat(String path) throws IOException {
        return ask(path, (client, node) -> {
            catchUp(client, node);
            Stat found = client.checkExists().forPath(node);
            if (found == null) {
                throw new KeeperException.NoNodeException(node);
            }
            return found;
        });
    }

    /** What is told to be written is on the disks of most servers. */
    @Override
    public void force(String path) throws IOException {
        stat(path);
    }

    @Override
    public InputStream open(String path, long offset) throws IOException {
        byte[] bytes = ask(path, (client, node) -> client.getData().forPath(node));
        int from = (int) Math.min(offset, bytes.length);
        return new ByteArrayInputStream(bytes, from, bytes.length - from);
    }

    @Override
    public long length(String path) throws IOException {
        return stat(path).getDataLength();
    }

    @Override
    public long modifiedMillis(String path) throws IOException {
        return stat(path).getMtime();
    }

    @Override
    public boolean exists(String path) throws IOException {
        try {
            return stat(path) != null;
        } catch (FileNotFoundException none) {
            return false;
        }
    }

    @Override
    public List<String> list(String folder) throws IOException {
        try {
            return ask(folder, (client, node) -> {
                catchUp(client, node);
                return client.getChildren().forPath(node).stream().filter(name -> !name.startsWith(".")).sorted().toList();
            });
        } catch (FileNotFoundException none) {
            return List.of();
        }
    }

    @Override
    public List<Stored> files(String folder) throws IOException {
        List<Stored> all = new ArrayList<>();
        try {
            ask(folder, (client, node) -> {
                catchUp(client, node);
                addAll(client, node, folder.replaceAll("/*$", ""), all);
                return all;
            });
        } catch (FileNotFoundException none) {
            return List.of();
        }
        all.sort(Comparator.comparing(Stored::path));
        return all;
    }

    /** A node without children is a file. */
    private static void addAll(CuratorFramework client, String node, String path, List<Stored> all) throws Exception {
        for (String name : client.getChildren().forPath(node)) {
            Stat found = client.checkExists().forPath(node + "/" + name);
            String at = path.isEmpty() ? name : path + "/" + name;
            if (found != null && found.getNumChildren() == 0) {
                all.add(new Stored(at, found.getMtime()));
            } else if (found != null) {
                addAll(client, node + "/" + name, at, all);
            }
        }
    }

    @Override
    public void delete(String path) throws IOException {
        try {
            ask(path, (client, node) -> client.delete().deletingChildrenIfNeeded().forPath(node));
        } catch (FileNotFoundException gone) {
            return;
        }
    }

    @Override
    public String toString() {
        return "registry " + login.at;
    }
}
