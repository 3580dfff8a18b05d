package io.despina.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.despina.packet.Column;
import io.despina.packet.Packet;
import io.despina.packet.PacketWriter;
import io.despina.packet.Schema;
import io.despina.packet.Type.Simple;
import io.despina.state.KeyedPackets;
import io.despina.state.KeyedTable;
import io.despina.state.ScratchPacket;
import io.despina.state.Share;
import io.despina.state.State;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files of a base and of what has changed since are kept together, or the next one is a base. */
class EpochChainTest {
    private static final Schema NUMBER = Schema.of(new Column("n", Simple.BIGINT, false));
    private static final Manifest.Origin ORIGIN = new Manifest.Origin("0.3.0", "g", "", "", 256, 0, Map.of(), Map.of());
    private static final int KEYS = 1_000;

    @TempDir
    Path folder;
    private SnapshotStore store;
    private final FolderPaths paths = new FolderPaths("g");
    private final EpochChain chain = new EpochChain();
    private final KeyedPackets table = table();

    private static KeyedPackets table() {
        return new KeyedPackets("table", NUMBER, 256, NUMBER);
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
    void fill() {
        store = new LocalStore(folder);
        for (int k = 0; k < KEYS; k++) {
            put(k, k);
        }
    }

    private EpochFile begin(long epoch) {
        EpochFile.Written before = chain.begin(epoch);
        return new EpochFile(store, before.files().isEmpty() ? paths.data(1, epoch, "r") : paths.changes(1, epoch, "r"),
                Runnable::run, before);
    }

    private static void writeAll(EpochFile file, State state) throws IOException {
        try (InstanceSnapshot snapshot = file.begin("x", 0, List.of(state), () -> { })) {
            while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
                continue;
            }
        }
    }

    private Manifest manifest(long epoch, EpochFile.Written written) throws IOException {
        ManifestDraft draft = new ManifestDraft(ORIGIN, 1, epoch);
        draft.add(written);
        draft.add("x", 0, new ManifestDraft.InstanceFacts(false, 0, Map.of(), List.of()));
        return draft.whole(Map.of("x", "latest"), epoch);
    }

    private Manifest epoch(long epoch) throws IOException {
        EpochFile file = begin(epoch);
        writeAll(file, table);
        EpochFile.Written written = file.finish().join();
        chain.durable(epoch, written);
        return manifest(epoch, written);
    }

    private static List<String> names(Manifest manifest) {
        return manifest.files().stream().map(each -> each.path().substring("g/data/1/".length())).toList();
    }

    private void assertRestores(Manifest manifest) throws IOException {
        assertRestores(store, manifest);
    }

    private void assertRestores(SnapshotStore store, Manifest manifest) throws IOException {
        KeyedPackets restored = table();
        new Share(0, 1, 256).restore(List.of(restored), new RestoredStates(store, manifest).of("x"));
        assertEquals(table.size(), restored.size());
        Packet one = new Packet(NUMBER.layout());
        Packet other = new Packet(NUMBER.layout());
        for (int k = 0; k < KEYS; k++) {
            int entry = table.find(packet(k));
            assertEquals(entry == KeyedTable.NONE, restored.find(packet(k)) == KeyedTable.NONE, "key " + k);
            if (entry != KeyedTable.NONE) {
                table.view(entry, one);
                restored.view(restored.find(packet(k)), other);
                assertEquals(one.getLong(0), other.getLong(0), "key " + k);
            }
        }
    }

    @Test
    void whatHasChangedFollowsABase() throws IOException {
        epoch(1);
        put(3, 33);
        table.remove(table.find(packet(4)));
        epoch(2);
        put(3, 333);
        put(4, 44);
        table.remove(table.find(packet(5)));
        Manifest third = epoch(3);
        assertEquals(List.of("1.r.base", "2.r.delta", "3.r.delta"), names(third));
        assertEquals(third.files().get(2).length(), third.newBytes());
        assertRestores(third);
    }

    @Test
    void aNewBaseComesWhenMuchHasChanged() throws IOException {
        epoch(1);
        for (int k = 0; k < KEYS; k++) {
            put(k, -k);
        }
        assertEquals(List.of("1.r.base", "2.r.delta"), names(epoch(2)));
        put(1, 1);
        assertEquals(List.of("3.r.base"), names(epoch(3)));
    }

    @Test
    void aNewBaseComesAfterManyChanges() throws IOException {
        for (int epoch = 1; epoch <= EpochChain.MOST_CHANGES + 1; epoch++) {
            put(epoch, -1);
            assertEquals(epoch, epoch(epoch).files().size());
        }
        Manifest next = epoch(EpochChain.MOST_CHANGES + 2);
        assertEquals(1, next.files().size());
        assertRestores(next);
    }

    @Test
    void theChangesOfADroppedEpochAreInTheNext() throws IOException {
        epoch(1);
        put(3, 33);
        epoch(2);       // durable, but another resource has failed, so there is no manifest of it
        put(7, 77);
        Manifest third = epoch(3);
        assertEquals(List.of("1.r.base", "2.r.delta", "3.r.delta"), names(third));
        assertRestores(third);
    }

    @Test
    void aBaseFollowsAFileThatIsNotDurable() throws IOException {
        epoch(1);
        put(3, 33);
        EpochFile dropped = begin(2);
        dropped.begin("x", 0, List.of(table), () -> { }).close();
        assertThrows(Exception.class, dropped.finish()::join);
        put(7, 77);
        Manifest third = epoch(3);
        assertEquals(List.of("3.r.base"), names(third));
        assertRestores(third);
    }

    @Test
    void aFileThatIsDurableTooLateIsNotGoneOnFrom() throws IOException {
        epoch(1);
        EpochFile slow = begin(2);
        writeAll(slow, table);
        EpochFile third = begin(3);
        put(3, 33);
        writeAll(third, table);
        chain.durable(2, slow.finish().join());
        assertEquals(List.of(), chain.begin(4).files(), "the third is not durable");
    }

    @Test
    void anInstanceThatWasNotThereWritesAll() throws IOException {
        epoch(1);
        EpochFile second = begin(2);
        writeAll(second, table);
        KeyedPackets other = table();
        other.add(packet(5), packet(6));
        other.freeze().close();
        try (InstanceSnapshot snapshot = second.begin("x", 1, List.of(other), () -> { })) {
            while (snapshot.write() == InstanceSnapshot.SliceResult.WORKED) {
                continue;
            }
        }
        EpochFile.Written written = second.finish().join();
        assertEquals(List.of(2, 1), written.instances().stream().map(each -> each.chain().size()).toList());
    }

    @Test
    void aMissingBaseIsRotAndNamed() throws IOException {
        StateFolder state = StateFolder.at(store, "g");
        epoch(1);
        put(3, 33);
        state.complete(epoch(2));
        store.delete(paths.data(1, 1, "r"));
        EpochFacts facts = state.facts().epochs().stream().filter(each -> each.epoch() == 2).findAny().orElseThrow();
        assertEquals(EpochFacts.Standing.ROTTEN, facts.standing());
        assertEquals(true, facts.problem().contains("1.r.base"), facts.problem());
    }

    @Test
    void aSavepointOfAChainHasNone() throws IOException {
        epoch(1);
        put(3, 33);
        epoch(2);
        table.remove(table.find(packet(5)));
        put(KEYS, 7);
        Manifest chained = epoch(3);
        assertEquals(3, chained.operators().get("x").instances().get(0).chain().size());
        SnapshotStore elsewhere = new LocalStore(folder.resolve("savepoint"));
        Savepoint.begin(elsewhere).write(store, chained);
        Manifest savepoint = Savepoint.read(elsewhere);
        assertEquals(List.of("data/0.base"), savepoint.files().stream().map(Manifest.DataFile::path).toList());
        assertEquals(1, savepoint.operators().get("x").instances().get(0).chain().size());
        assertRestores(elsewhere, savepoint);
    }
}
