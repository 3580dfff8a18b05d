package io.despina.control.epoch;

import static io.despina.control.epoch.FolderFactsOf.GRAPH;
import static io.despina.control.epoch.FolderFactsOf.PLAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.despina.snapshot.Claim;
import io.despina.snapshot.CommitPermit;
import io.despina.snapshot.EpochFacts;
import io.despina.snapshot.FakeStore;
import io.despina.snapshot.FencedException;
import io.despina.snapshot.FolderFacts;
import io.despina.snapshot.Manifest;
import io.despina.snapshot.SnapshotStore;
import io.despina.snapshot.StateFolder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Random histories of a state folder: coordinators start, complete epochs, commit, collect, and die before or after any change of
 * a file. Some are thought dead, and go on. What was committed is never gone back behind, and nothing that is needed is deleted.
 */
class FolderHistoryTest {
    private static final int HISTORIES = 200;
    private static final int STEPS = 60;

    /** The process died. */
    private static final class Death extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** One that was started, with its place. */
    private final class Coordinator {
        private final int attempt;
        private long epoch;

        Coordinator(int attempt, long epoch) {
            this.attempt = attempt;
            this.epoch = epoch;
        }

        void complete() throws IOException {
            epoch++;
            String path = folder.paths().data(attempt, epoch, "r");
            try (SnapshotStore.NewFile file = store.create(path)) {
                file.write(1);
            }
            CommitPermit permit = folder.complete(new Manifest(Manifest.FORMAT, FolderFactsOf.origin(256), attempt, epoch, 0,
                    List.of(new Manifest.DataFile(path, 1, "0")), Map.of("x", new Manifest.Operator("scan", List.of(),
                    List.of(FolderFactsOf.instance(Map.of()))))));
            assertTrue(attempt >= started, () -> trace("attempt " + attempt + " may commit after attempt " + started));
            permitted = Math.max(permitted, epoch);
            if (random.nextBoolean()) {
                folder.committed(permit);
            }
        }

        void collect() throws IOException {
            FolderFacts before = folder.facts();
            folder.delete(Retention.deletable(before, folder.paths(), folder.files(),
                    new Retention.Who(attempt, Set.of(), store.nowMillis)));
        }
    }

    private Random random;
    private FakeStore store;
    private StateFolder folder;
    /** The greatest attempt that has started. */
    private int started;
    /** The greatest epoch that anyone may have committed. */
    private long permitted;
    private int greatestAttempt;
    private long greatestEpoch;
    private final List<Coordinator> alive = new ArrayList<>();
    private final List<String> trace = new ArrayList<>();
    private int untilDeath;

    private String trace(String what) {
        return what + "\n" + String.join("\n", trace);
    }

    private void begin(long seed) {
        random = new Random(seed);
        store = new FakeStore() {
            @Override
            protected void change(String path) {
                if (untilDeath-- == 0) {
                    throw new Death();
                }
                trace.add("  " + path);
            }
        };
        folder = StateFolder.at(store, GRAPH);
        started = 0;
        permitted = 0;
        greatestAttempt = 0;
        greatestEpoch = 0;
        alive.clear();
        trace.clear();
    }

    private Restore decision(FolderFacts facts) {
        return RestoreDecision.of(facts, RestoreWish.newest(false), PLAN, new RestoreDecision.Asking("me", Long.MAX_VALUE, null));
    }

    private long from(FolderFacts facts) {
        Restore restore = decision(facts);
        assertTrue(restore instanceof Restore.GoOn || restore instanceof Restore.Fresh, () -> trace(restore.toString()));
        return restore instanceof Restore.GoOn on ? on.manifest().epoch() : 0;
    }

    private void start() throws IOException {
        int attempt = folder.facts().greatestAttempt() + 1;
        folder.claim(new Claim(attempt, "c", "h", attempt, 0, 0, Map.of(), null));
        if (random.nextInt(4) == 0) {
            zombie();
        }
        FolderFacts facts = folder.facts();
        long from = from(facts);
        folder.start(attempt, new Claim.Start(from, null));
        assertTrue(from >= permitted, () -> trace("from " + from + " where " + permitted + " may be committed"));
        started = attempt;
        alive.add(new Coordinator(attempt, facts.greatestEpoch()));
    }

    /** One that is thought dead goes on. */
    private void zombie() throws IOException {
        if (!alive.isEmpty()) {
            Coordinator one = alive.get(random.nextInt(alive.size()));
            try {
                one.complete();
            } catch (FencedException ended) {
                alive.remove(one);
            }
        }
    }

    private void step() throws IOException {
        store.nowMillis += random.nextInt(400_000);
        int what = random.nextInt(10);
        trace.add("step " + what);
        if (alive.isEmpty() || what == 0) {
            start();
        } else if (what < 8) {
            alive.get(alive.size() - 1).complete();
        } else if (what == 8) {
            zombie();
        } else {
            alive.get(random.nextInt(alive.size())).collect();
        }
    }

    private void check() throws IOException {
        FolderFacts facts = folder.facts();
        assertTrue(facts.greatestAttempt() >= greatestAttempt, () -> trace("attempts fall"));
        assertTrue(facts.greatestEpoch() >= greatestEpoch, () -> trace("epochs fall"));
        greatestAttempt = facts.greatestAttempt();
        greatestEpoch = facts.greatestEpoch();
        long from = from(facts);
        assertTrue(from >= permitted, () -> trace("from " + from + " where " + permitted + " may be committed"));
        for (EpochFacts each : facts.epochs()) {
            boolean sound = each.standing().isWhole() || each.standing() == EpochFacts.Standing.WRITTEN
                    || each.standing() == EpochFacts.Standing.FENCED || each.epoch() < from;
            assertTrue(sound, () -> trace(each.toString()));
        }
    }

    @Test
    void whateverDiesItGoesOnFromTheNewestEpoch() throws IOException {
        int deaths = 0;
        for (long seed = 0; seed < HISTORIES; seed++) {
            begin(seed);
            for (int k = 0; k < STEPS; k++) {
                untilDeath = random.nextInt(8) == 0 ? random.nextInt(5) : Integer.MAX_VALUE;
                try {
                    step();
                } catch (Death death) {
                    deaths++;
                    if (!alive.isEmpty() && random.nextBoolean()) {
                        alive.remove(alive.size() - 1);
                    }
                } catch (IOException fencedOrTaken) {
                    alive.remove(alive.size() - 1);
                }
                untilDeath = Integer.MAX_VALUE;
                check();
            }
        }
        assertTrue(deaths > HISTORIES, "only " + deaths + " deaths");
    }

    @Test
    void collectionIsRepeatedUntilNothingIsLeftToDelete() throws IOException {
        for (long seed = 0; seed < HISTORIES / 10; seed++) {
            begin(seed);
            untilDeath = Integer.MAX_VALUE;
            start();
            Coordinator only = alive.get(0);
            for (int k = 0; k < 9; k++) {
                only.complete();
            }
            FolderFacts before = folder.facts();
            for (int dies = 0; dies < 3; dies++) {
                untilDeath = random.nextInt(12);
                try {
                    only.collect();
                } catch (Death death) {
                    continue;
                }
            }
            untilDeath = Integer.MAX_VALUE;
            store.nowMillis += Retention.UNKNOWN_MILLIS + 1;
            only.collect();
            FolderFacts after = folder.facts();
            assertEquals(List.of(), Retention.deletable(after, folder.paths(), folder.files(),
                    new Retention.Who(1, Set.of(), store.nowMillis)));
            assertEquals(from(before), from(after));
            assertTrue(after.epochs().size() <= 4 + 1, () -> trace(after.toString()));
        }
    }
}
