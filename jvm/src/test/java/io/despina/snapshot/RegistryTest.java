package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.json.Json;
import io.despina.json.RecordJson;
import io.despina.state.SnapshotException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.StatsTrack;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.cli.SetQuotaCommand;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A state folder whose claims are in ZooKeeper. */
class RegistryTest {
    private static final String GRAPH = "g";

    @TempDir
    Path root;
    private final ZooKeepers server = ZooKeepers.shared();
    private RegistryAddress address;

    @BeforeEach
    void ofItsOwn() {
        address = server.address("/" + root.getFileName());
    }

    private SnapshotStore store(Path folder) throws IOException {
        return SnapshotStores.at(folder.toString(), Map.of());
    }

    private StateFolder folder(Path at) throws IOException {
        RegisteredStore.name(store(at), address);
        return StateFolder.at(store(at), GRAPH);
    }

    private static Claim claim(int attempt, String coordinator) {
        return Claim.by(holder(coordinator), attempt, 1000 + attempt, 5);
    }

    private static Holder holder(String coordinator) {
        return new Holder(coordinator, "host", 12, 1, 0);
    }

    private static Manifest manifest(int attempt, long epoch) throws SnapshotException {
        Manifest.Origin origin = new Manifest.Origin("0.3.0", GRAPH, "d", "p", 256, 5, Map.of(), Map.of());
        return new ManifestDraft(origin, attempt, epoch).whole(Map.of(), 1);
    }

    private String refused(String path) {
        RegistryAddress at = server.address(path);
        return assertThrows(IOException.class, () -> RegisteredStore.name(store(root.resolve("other")), at)).getMessage();
    }

    @Test
    void whatCoordinatorsDecideIsThereAndAllElseInTheFolder() throws IOException {
        StateFolder folder = folder(root);
        folder.claim(claim(1, "a"));
        folder.start(1, new Claim.Start(0, null));
        folder.complete(manifest(1, 1));
        folder.takeOver(TurnClaim.by(holder("b"), 1, 1, 7));
        folder.ended(holder("b"));
        assertEquals(List.of("epochs", "folder.json"), new LocalStore(root).list(GRAPH));
        StateFolder another = StateFolder.at(store(root), GRAPH);
        assertEquals(List.of("1.json", "1.start.json", "1.turn1.json"), another.store().list("g/attempts/"));
        assertEquals(TurnClaim.by(holder("b"), 1, 1, 7), another.last());
        assertTrue(another.hasEnded("b"));
        assertEquals(List.of(claim(1, "a").started(new Claim.Start(0, null))), another.facts().claims());
        assertEquals(1, another.facts().greatestEpoch());
    }

    @Test
    void foldersOfOneRegistryHaveClaimsOfTheirOwn() throws IOException {
        folder(root.resolve("one")).claim(claim(1, "a"));
        folder(root.resolve("two")).claim(claim(1, "b"));
        assertEquals("a", StateFolder.at(store(root.resolve("one")), GRAPH).last().coordinator());
    }

    @Test
    void aFolderKeepsItsRegistry() throws IOException {
        folder(root);
        assertEquals("its registry is " + address + ", and not " + server.address("/another"),
                assertThrows(SnapshotException.class, () -> RegisteredStore.name(store(root), server.address("/another")))
                        .getMessage());
        Path own = root.resolve("own");
        StateFolder.at(store(own), GRAPH).claim(claim(1, "a"));
        assertEquals("it has been its own registry, and cannot get " + address + " from now on",
                assertThrows(SnapshotException.class, () -> folder(own)).getMessage());
    }

    /** Whoever comes first: the other follows what the folder says, or is refused. */
    @Test
    void ofTwoFirstRunsAtOnceWithARegistryAndWithoutBothHaveTheSame() throws IOException {
        SnapshotStore with = store(root);
        SnapshotStore without = store(root);
        RegisteredStore.name(with, address);
        RegisteredStore.name(without, null);
        StateFolder.at(store(root), GRAPH).claim(claim(1, "a"));
        assertFalse(Files.exists(root.resolve("g/attempts")));
        Path second = root.resolve("second");
        SnapshotStore late = store(second);
        RegisteredStore.name(store(second), null);
        assertEquals("it has been its own registry, and cannot get " + address + " from now on",
                assertThrows(SnapshotException.class, () -> RegisteredStore.name(late, address)).getMessage());
        StateFolder.at(store(second), GRAPH).claim(claim(1, "b"));
        assertTrue(Files.exists(second.resolve("g/attempts/1.json")));
    }

    /** Of an earlier engine, where the user may write to the folders of graphs alone. */
    @Test
    void oneThatWasUsedNeedsNotSayThatItIsItsOwn() throws IOException {
        SnapshotStore closed = new Failing(new LocalStore(root)) {
            @Override
            public boolean createIfAbsent(String path, byte[] content) throws IOException {
                if (path.equals("registry.json")) {
                    throw new IOException("permission denied");
                }
                return super.createIfAbsent(path, content);
            }
        };
        assertEquals("permission denied", assertThrows(IOException.class, () -> RegisteredStore.name(closed, null)).getMessage());
        StateFolder.at(closed, GRAPH).claim(claim(1, "a"));
        RegisteredStore.name(closed, null);
        assertEquals("it has been its own registry, and cannot get " + address + " from now on",
                assertThrows(SnapshotException.class, () -> RegisteredStore.name(closed, address)).getMessage());
    }

    /** Where names are not made with their content, whoever makes it may die in between. */
    @Test
    void oneThatIsHalfMadeIsMadeAnew() throws IOException {
        Files.write(root.resolve("registry.json"), new byte[0]);
        folder(root).claim(claim(1, "a"));
        assertFalse(Files.exists(root.resolve("g/attempts")));
    }

    /** Two have seen that the lease has ended, as it was renewed or the first of them took it. */
    @Test
    void aLeaseThatWasWrittenToSinceItWasSeenIsNotTaken() throws IOException {
        StateFolder folder = folder(root);
        FolderHold first = hold(folder, "a");
        assertNull(first.renew(0));
        String lease = folder.paths().folder() + "lease.json";
        long seen = folder.store().modifiedMillis(lease);
        byte[] taken = new byte[] {1};
        while (folder.store().modifiedMillis(lease) == seen) {
            assertNull(first.renew(1));
        }
        assertFalse(folder.store().replace(lease, seen, taken));
        assertFalse(folder.store().replace(lease, SnapshotStore.NOT_THERE, taken));
        assertTrue(folder.store().replace(lease, folder.store().modifiedMillis(lease), taken));
        assertFalse(first.isOwn());
        folder.store().delete(lease);
        assertFalse(folder.store().replace(lease, seen, taken));
        assertTrue(folder.store().replace(lease, SnapshotStore.NOT_THERE, taken));
    }

    private static FolderHold hold(StateFolder folder, String coordinator) throws IOException {
        FolderHold hold = new FolderHold(folder.store(), folder.paths(), holder(coordinator));
        hold.look(0);
        return hold;
    }

    @Test
    void ofSeveralAtOnceOneHasTheAttempt() throws Exception {
        StateFolder folder = folder(root);
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            List<Callable<Boolean>> all = IntStream.range(0, 8).<Callable<Boolean>>mapToObj(k -> () -> {
                try {
                    folder.claim(claim(1, "c" + k));
                    return true;
                } catch (FencedException another) {
                    return false;
                }
            }).toList();
            int claimed = 0;
            for (Future<Boolean> each : threads.invokeAll(all)) {
                claimed += each.get() ? 1 : 0;
            }
            assertEquals(1, claimed);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void aSessionThatEndsTakesNoClaimWithIt() throws IOException {
        StateFolder folder = folder(root);
        folder.claim(claim(1, "a"));
        server.expire();
        assertEquals(1, folder.complete(manifest(1, 1)).epoch());
        folder.claim(claim(2, "b"));
        assertThrows(FencedException.class, () -> folder.complete(manifest(1, 2)));
    }

    @Test
    void nothingIsCompleteWhileItIsAwayAndAllGoesOnBehindThat() throws IOException {
        StateFolder folder = folder(root);
        FolderHold hold = new FolderHold(folder.store(), folder.paths(), holder("a"));
        hold.look(0);
        hold.renew(0);
        folder.claim(claim(1, "a"));
        server.stop();
        try {
            assertEquals("registry " + address + " does not answer",
                    assertThrows(IOException.class, () -> folder.complete(manifest(1, 1))).getMessage());
        } finally {
            server.start();
        }
        assertEquals(1, folder.complete(manifest(1, 1)).epoch());
        FolderHold other = new FolderHold(folder.store(), folder.paths(), holder("b"));
        assertEquals(1_000, other.look(0).leaseMillis());
        hold.renew(1);
        assertTrue(other.look(2_000_000_000L).isAlive());
        assertFalse(other.look(3_000_000_000L).isAlive());
        hold.close();
    }

    @Test
    void whoMayOnlyReadThereIsRefused() throws Exception {
        String path = "/read" + root.getFileName();
        server.ask(client -> client.create(path, new byte[0], ZooDefs.Ids.READ_ACL_UNSAFE, CreateMode.PERSISTENT));
        assertEquals("registry " + server.address(path) + " does not let who has no login read and write there", refused(path));
        assertFalse(Files.exists(root.resolve("other/registry.json")));
    }

    @Test
    void aFullOneIsRefused() throws Exception {
        String path = "/full" + root.getFileName();
        server.ask(client -> {
            client.create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
            StatsTrack most = new StatsTrack();
            most.setCountHardLimit(1);
            SetQuotaCommand.createQuota(client, path, most);
        });
        assertEquals("registry " + server.address(path) + " is full: more than ZooKeeper's quota for it", refused(path));
    }

    @Test
    void aUserKeepsItFromOthers() throws IOException {
        RegistryAddress at = RegistryAddress.of(address.toString().replace("//", "//us@"));
        assertEquals("registry " + at + " needs a password: DESPINA_REGISTRY_PASSWORD in the environment",
                assertThrows(IOException.class, () -> new ZooKeeperStore(at, "s", null).list("")).getMessage());
        SnapshotStore ours = new ZooKeeperStore(at, "s", "right");
        assertTrue(ours.createIfAbsent("one", new byte[] {1}));
        assertEquals(1, ours.length("one"));
        assertEquals("registry " + at + " does not let user `us` read and write there",
                assertThrows(IOException.class, () -> new ZooKeeperStore(at, "s", "wrong").open("one", 0)).getMessage());
        assertEquals("registry " + address + " does not let who has no login read and write there",
                assertThrows(IOException.class, () -> new ZooKeeperStore(address, "s", null).open("one", 0)).getMessage());
    }

    private void says(int format, String registry) throws IOException {
        Files.write(root.resolve("registry.json"), ManifestText.sealed(
                Json.object().put("format", format).put("registry", registry).put("id", "x")));
    }

    @Test
    void oneOfALaterEngineIsRefused() throws IOException {
        says(2, address.toString());
        assertEquals("registry.json: format 2, which a later engine wrote; this one reads up to 1",
                assertThrows(SnapshotException.class, () -> store(root)).getMessage());
        says(1, "etcd://a:1");
        assertEquals("registry.json in " + root + " names a registry that this engine does not know: etcd://a:1",
                assertThrows(SnapshotException.class, () -> store(root)).getMessage());
    }

    /** As a claim of a later engine is in the folder itself. */
    @Test
    void aClaimThatALaterEngineMadeThereIsNotOverlooked() throws IOException {
        StateFolder folder = folder(root);
        folder.store().createIfAbsent("g/attempts/1.json",
                ManifestText.sealed(RecordJson.object(claim(1, "a")).put("format", 99)));
        assertThrows(LaterFormatException.class, folder::facts);
    }
}
