package io.despina.operator.source.inflow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.state.NamedEntries;
import io.despina.state.Share;
import io.despina.state.Snapshots;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RecentKeysTest {
    private static final int MOST = 100;
    private static final int ROUNDS = 200;

    private final RecentKeys keys = new RecentKeys(MOST);

    private Map<String, byte[]> snapshot(boolean changes) throws IOException {
        try (Snapshots snapshot = new Snapshots(List.of(keys), 64, changes)) {
            return snapshot.all();
        }
    }

    private static RecentKeys restored(List<Map<String, byte[]>> chain) throws IOException {
        RecentKeys found = new RecentKeys(MOST);
        new Share(0, 1, 256).restore(List.of(found), List.of(Snapshots.chain(chain)));
        return found;
    }

    @Test
    void aChainOfSnapshotsHasWhatWasTakenLastInItsOrder() throws IOException {
        Random chance = new Random(7);
        List<Map<String, byte[]>> chain = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            for (int k = chance.nextInt(40); k > 0; k--) {
                keys.put("key" + chance.nextInt(2 * MOST), "text" + chance.nextInt());
            }
            if (chance.nextInt(20) == 0) {
                chain.clear();
            }
            chain.add(snapshot(!chain.isEmpty()));
            RecentKeys again = restored(chain);
            assertEquals(new ArrayList<>(keys.all().entrySet()), new ArrayList<>(again.all().entrySet()), "round " + round);
        }
    }

    @Test
    void aSnapshotHasNoMoreThanWhatHasComeSinceTheOneBefore() throws IOException {
        for (int k = 0; k < MOST; k++) {
            keys.put("key" + k, "text");
        }
        int whole = snapshot(false).get("keys").length;
        keys.put("key7", "another");
        int one = snapshot(true).get("keys").length;
        assertTrue(one < whole / 20, one + " of " + whole);
        assertTrue(snapshot(true).get("keys").length < one);
    }

    @Test
    void whatAnOlderEngineHasWrittenIsRead() throws IOException {
        Map<String, String> texts = new LinkedHashMap<>(Map.of("b", "2"));
        texts.put("a", "1");
        RecentKeys found = new RecentKeys(MOST);
        Snapshots.restore(found, Snapshots.of(new NamedEntries("keys", () -> texts)));
        assertEquals(new ArrayList<>(texts.entrySet()), new ArrayList<>(found.all().entrySet()));
    }
}
