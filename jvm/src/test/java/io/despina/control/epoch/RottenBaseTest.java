package io.despina.control.epoch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.despina.control.folder.FolderCommands;
import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.snapshot.Claim;
import io.despina.snapshot.EpochChain;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.EpochFile;
import io.despina.snapshot.InstanceSnapshot;
import io.despina.snapshot.LocalStore;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.ManifestDraft;
import io.despina.snapshot.RestoredStates;
import io.despina.snapshot.RottenStatesException;
import io.despina.snapshot.StateFolder;
import io.despina.state.KeyedPackets;
import io.despina.state.ScratchPacket;
import io.despina.state.Share;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A base that is damaged takes the epochs of its chain with it, and the job goes on from one that does not need it. */
class RottenBaseTest {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final Manifest.Origin ORIGIN = FolderFactsOf.origin(FolderFactsOf.BUCKETS);
    private static final int KEYS = 500;
    private static final long NOW = 1_000_000;

    @TempDir
    Path root;
    private StateFolder folder;
    private EpochChain chain = new EpochChain();
    private final KeyedPackets table = table();

    private static KeyedPackets table() {
        return new KeyedPackets("table", NUMBER, FolderFactsOf.BUCKETS, NUMBER);
    }

    private static Packet packet(long n) {
        ScratchPacket scratch = new ScratchPacket(NUMBER.layout());
        PacketWriter out = scratch.begin();
        out.setLong(0, n);
        return scratch.commit();
    }

    private void put(long key, long value) {
        table.put(table.find(packet(key)), packet(key), packet(value));
    }

    @BeforeEach
    void begin() throws IOException {
        folder = StateFolder.at(new LocalStore(root), FolderFactsOf.GRAPH);
        folder.claim(new Claim(1, "c", "host", 1, 0, 5, Map.of(), null));
        folder.start(1, new Claim.Start(0, null));
        for (int k = 0; k < KEYS; k++) {
            put(k, k);
        }
    }

    /** Value 0 of the table is the number of the epoch. */
    private void complete(long epoch) throws IOException {
        put(0, epoch);
        EpochFile.Written before = chain.begin(epoch);
        String path = before.files().isEmpty() ? folder.paths().data(1, epoch, "r") : folder.paths().changes(1, epoch, "r");
        EpochFile file = new EpochFile(folder.store(), path, Runnable::run, before);
        try (InstanceSnapshot snapshot = file.begin("x", 0, List.of(table), () -> { })) {
            while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
                continue;
            }
        }
        EpochFile.Written written = file.finish().join();
        chain.durable(epoch, written);
        ManifestDraft draft = new ManifestDraft(ORIGIN, 1, epoch);
        draft.add(written);
        draft.add("x", 0, new ManifestDraft.InstanceFacts(false, 0, Map.of(), List.of()));
        folder.committed(folder.complete(draft.whole(Map.of("x", "scan"), epoch)));
        folder.delete(Retention.deletable(folder.facts(), folder.paths(), folder.files(), new Retention.Who(1, Set.of(), NOW)));
    }

    /** Two chains, of which the second one has more epochs than are kept. */
    private void twoChains() throws IOException {
        for (long epoch = 1; epoch <= 12; epoch++) {
            chain = epoch == 7 ? new EpochChain() : chain;
            complete(epoch);
        }
    }

    private List<Long> whole() throws IOException {
        return folder.facts().epochs().stream().filter(each -> each.standing().isWhole()).map(EpochFacts::epoch).toList();
    }

    private void flip(String name) throws IOException {
        Path file = root.resolve(FolderFactsOf.GRAPH).resolve("data/1").resolve(name);
        byte[] bytes = Files.readAllBytes(file);
        bytes[bytes.length / 2] ^= 1;
        Files.write(file, bytes);
    }

    private long restored(long epoch) throws IOException {
        KeyedPackets restored = table();
        new Share(0, 1, FolderFactsOf.BUCKETS).restore(List.of(restored), new RestoredStates(folder.store(),
                folder.read(epoch)).of("x"));
        Packet value = new Packet(NUMBER.layout());
        restored.view(restored.find(packet(0)), value);
        return value.getLong(0);
    }

    private void meetRotIn(long epoch) throws IOException {
        folder.rotten(epoch, assertThrows(RottenStatesException.class, () -> restored(epoch)));
    }

    private Restore decide() throws IOException {
        PlanFacts plan = new PlanFacts(FolderFactsOf.GRAPH, FolderFactsOf.BUCKETS,
                Map.of("x", new PlanFacts.OperatorFacts("scan", 1, List.of())));
        return RestoreDecision.of(folder.facts(), RestoreWish.newest(false), plan,
                new RestoreDecision.Asking("me", NOW, null));
    }

    @Test
    void oneEpochIsKeptThatDoesNotNeedTheBaseOfTheLast() throws IOException {
        twoChains();
        assertEquals(List.of(6L, 10L, 11L, 12L), whole());
        chain = new EpochChain();
        complete(13);
        assertEquals(List.of(11L, 12L, 13L), whole(), "two of them have another base than the last");
    }

    @Test
    void allEpochsOfADamagedBaseAreLostAtOnceAndTold() throws IOException {
        twoChains();
        flip("7.r.base");
        meetRotIn(12);
        assertEquals(List.of(6L), whole());
        Restore.GoOn on = (Restore.GoOn) decide();
        assertEquals(6, on.manifest().epoch());
        assertEquals(3, on.told().size(), on.told().toString());
        assertTrue(on.told().get(0).startsWith("epoch 12 is lost, of which no sink had shown a row: g/data/1/7.r.base: state"),
                on.told().toString());
        assertEquals(6, restored(6));
    }

    @Test
    void aCheckOfTheFolderNamesTheFileOnceAndCountsWhatIsLeft() throws Exception {
        twoChains();
        flip("7.r.base");
        JsonNode graph = FolderCommands.run("check", root.toString(), "{}", () -> 0, () -> NOW).path("graphs").path(0);
        assertEquals(1, graph.path("problems").size(), () -> graph.toString());
        assertTrue(graph.path("problems").path(0).path("problem").asText().startsWith("g/data/1/7.r.base: state `table`"));
        assertEquals(1, graph.path("whole_epochs").asInt());
    }

    @Test
    void ofADamagedChangeOnlyLaterEpochsAreLost() throws IOException {
        twoChains();
        flip("12.r.delta");
        meetRotIn(12);
        assertEquals(List.of(6L, 10L, 11L), whole());
        assertEquals(11, restored(((Restore.GoOn) decide()).manifest().epoch()));
    }

    @Test
    void whereAllAreDamagedNothingBeginsAnew() throws IOException {
        twoChains();
        flip("7.r.base");
        meetRotIn(11);
        flip("1.r.base");
        meetRotIn(6);
        Restore.Refused refused = (Restore.Refused) decide();
        assertTrue(refused.words().startsWith("no epoch in the state folder of graph `g` can be read: epoch 12: "
                + "g/data/1/7.r.base"), refused.words());
    }

    @Test
    void rotIsDeletedWhenNewerEpochsAreThere() throws IOException {
        twoChains();
        flip("7.r.base");
        meetRotIn(12);
        chain = new EpochChain();
        for (long epoch = 13; epoch <= 15; epoch++) {
            complete(epoch);
        }
        assertEquals(List.of(6L, 13L, 14L, 15L), whole());
        assertEquals(List.of(6L, 13L, 14L, 15L), folder.facts().epochs().stream().map(EpochFacts::epoch)
                .filter(each -> Files.exists(root.resolve(folder.paths().manifest(each)))).toList());
        assertTrue(folder.files().stream().noneMatch(each -> each.path().contains("rotten")
                || each.path().contains("7.r.base")));
    }
}
