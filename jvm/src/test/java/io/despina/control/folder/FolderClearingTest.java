package io.despina.control.folder;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.control.protocol.Refusal;
import io.despina.snapshot.Claim;
import io.despina.snapshot.FakeStore;
import io.despina.snapshot.FolderHold;
import io.despina.snapshot.Holder;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.ManifestDraft;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What takes longer than a lease lasts. */
class FolderClearingTest {
    private static final String GRAPH = "g";
    private static final Holder JOB = new Holder("job", "box", 12, 1, 0);
    private static final long LASTS_MILLIS = 1_000;

    private long nowMillis = 1_000_000;
    private long deleteMillis;
    private Runnable whileListing = () -> { };
    private final List<Boolean> seenAlive = new ArrayList<>();
    private final FakeStore store = new FakeStore() {
        @Override
        protected void change(String path) {
            nowMillis++;
        }

        @Override
        public long leaseMillis() {
            return LASTS_MILLIS;
        }

        @Override
        public List<Stored> files(String in) {
            whileListing.run();
            return super.files(in);
        }

        @Override
        public void delete(String path) throws IOException {
            if (path.contains("/epochs/")) {
                pass(deleteMillis);
                look();
            }
            super.delete(path);
        }
    };
    private final StateFolder folder = StateFolder.at(store, GRAPH);
    private final FolderHold starts = new FolderHold(store, folder.paths(), JOB);

    private void pass(long millis) {
        nowMillis += millis;
    }

    private long nanos() {
        return TimeUnit.MILLISECONDS.toNanos(nowMillis);
    }

    /** Another run would like to have the folder. */
    private void look() throws IOException {
        Holder holder = starts.look(nanos());
        seenAlive.add(holder != null && holder.isAlive());
    }

    @BeforeEach
    void epochsAreThere() throws IOException {
        folder.claim(Claim.by(JOB, 1, 1_000, 5));
        folder.start(1, new Claim.Start(0, null));
        Manifest.Origin origin = new Manifest.Origin("0", GRAPH, "d", "p", 1, 5, Map.of(), Map.of());
        for (int epoch = 1; epoch <= 9; epoch++) {
            folder.committed(folder.complete(new ManifestDraft(origin, 1, epoch).whole(Map.of(), 1)));
        }
    }

    private void clear() throws IOException, Refusal {
        GraphFolder graph = new GraphFolder(GRAPH, GRAPH + "/", store);
        new FolderClearing(this::nanos, () -> nowMillis).of(new StateFolders("/s", List.of(graph)), List.of(graph), false);
    }

    @Test
    void theFolderIsHeldForAsLongAsItIsCleared() throws IOException, Refusal {
        deleteMillis = LASTS_MILLIS / 2;
        clear();
        assertTrue(seenAlive.size() > 10, seenAlive.toString());
        assertEquals(List.of(), seenAlive.stream().filter(alive -> !alive).toList());
        assertNull(starts.look(nanos()));
        assertEquals(List.of("7.committed.json", "7.manifest.json", "8.committed.json", "8.manifest.json", "9.committed.json",
                "9.manifest.json"), store.list("g/epochs"));
    }

    /** As it was listed, which took longer than the lease. */
    @Test
    void whatAJobHasMeanwhileIsLeftAlone() throws IOException {
        int before = store.list("g/epochs").size();
        whileListing = () -> {
            try {
                look();
                pass(2 * LASTS_MILLIS);
                look();
                assertNull(starts.renew(nanos()));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            whileListing = () -> { };
        };
        assertEquals("graph `g` is run by process 12 on box", assertThrows(Refusal.class, this::clear).getMessage());
        assertEquals(before, store.list("g/epochs").size());
        assertTrue(starts.isOwn(), "it was deleted");
    }
}
